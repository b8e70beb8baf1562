#include "tools/mutants/find_sites.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/Version.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Lex/Lexer.h"
#include "clang/Sema/Sema.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "tools/mutants/spelling.h"

namespace cm::mutant {
namespace {

// The bytes of the main file that a node was written as.
struct Range {
  size_t begin = 0;
  size_t end = 0;
};

bool IsVoidOrBool(clang::QualType type) { return type->isVoidType() || type->isBooleanType(); }

class Finder : public clang::RecursiveASTVisitor<Finder> {
  using Base = clang::RecursiveASTVisitor<Finder>;

 public:
  Finder(clang::ASTContext& context, clang::Sema& sema, std::vector<Site>* sites)
      : context_(context), sources_(context.getSourceManager()), sema_(sema), sites_(sites) {}

  // What is constant or not evaluated is not looked into.
  bool TraverseTypeLoc(clang::TypeLoc) { return true; }
  bool TraverseNestedNameSpecifierLoc(clang::NestedNameSpecifierLoc) { return true; }
  bool TraverseTemplateArgumentLoc(const clang::TemplateArgumentLoc&) { return true; }
  bool TraverseConstantExpr(clang::ConstantExpr*) { return true; }
  bool TraverseUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr*) { return true; }
  bool TraverseCXXNoexceptExpr(clang::CXXNoexceptExpr*) { return true; }
  bool TraverseCXXTypeidExpr(clang::CXXTypeidExpr*) { return true; }
  bool TraverseRequiresExpr(clang::RequiresExpr*) { return true; }
  bool TraverseConceptSpecializationExpr(clang::ConceptSpecializationExpr*) { return true; }
  bool TraverseUserDefinedLiteral(clang::UserDefinedLiteral*) { return true; }
  bool TraverseStaticAssertDecl(clang::StaticAssertDecl*) { return true; }
  bool TraverseEnumDecl(clang::EnumDecl*) { return true; }
  bool TraverseFieldDecl(clang::FieldDecl*) { return true; }
  bool TraverseParmVarDecl(clang::ParmVarDecl*) { return true; }
  bool TraverseCaseStmt(clang::CaseStmt* label) { return TraverseStmt(label->getSubStmt()); }
  bool TraverseIfStmt(clang::IfStmt* stmt);
  bool TraverseVarDecl(clang::VarDecl* variable);
  bool TraverseDecl(clang::Decl* declaration);

  bool VisitWhileStmt(clang::WhileStmt* stmt);
  bool VisitDoStmt(clang::DoStmt* stmt);
  bool VisitForStmt(clang::ForStmt* stmt);
  bool VisitCXXForRangeStmt(clang::CXXForRangeStmt* stmt) { return Statement(stmt->getBody()); }
  bool VisitSwitchCase(clang::SwitchCase* label) { return Statement(label->getSubStmt()); }
  bool VisitCompoundStmt(clang::CompoundStmt* block);
  bool VisitReturnStmt(clang::ReturnStmt* stmt);
  bool VisitConditionalOperator(clang::ConditionalOperator* choice);
  bool VisitLambdaExpr(clang::LambdaExpr* lambda);
  bool VisitBinaryOperator(clang::BinaryOperator* expr);
  bool VisitCXXRewrittenBinaryOperator(clang::CXXRewrittenBinaryOperator* expr);
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr* cast);
  bool VisitIntegerLiteral(clang::IntegerLiteral* literal);
  bool VisitCXXBoolLiteralExpr(clang::CXXBoolLiteralExpr* literal);
  bool VisitDeclRefExpr(clang::DeclRefExpr* reference);

 private:
  std::optional<Range> RangeOf(const clang::Stmt* stmt) const;
  std::string TextOf(Range range) const;
  Site* Add(Kind kind, Form form, Range range, std::string after);
  bool IsLiteralCondition(const clang::Expr* condition) const;
  bool Condition(const clang::Expr* condition);
  bool Statement(const clang::Stmt* stmt);
  void Delete(const clang::Stmt* stmt);
  // The returns of the first branch of an `if` without another one: what follows is what the
  // function does where the condition is false, so that something follows.
  void GuardedReturn(const clang::Stmt* branch);
  void Comparison(const clang::Expr* whole, clang::BinaryOperatorKind op,
                  clang::SourceLocation op_place);
  void Swap(const clang::Expr* expr, std::string other, std::string shown);
  void Enumerator(const clang::DeclRefExpr* reference, const clang::EnumConstantDecl* enumerator);
  void NamedConstant(const clang::DeclRefExpr* reference, const clang::VarDecl* constant);
  void EarlyReturns(const clang::FunctionDecl* function);
  void ReturnAtStart(const clang::CompoundStmt* body, clang::QualType type);
  bool HasEmptyValue(clang::QualType type);

  clang::ASTContext& context_;
  clang::SourceManager& sources_;
  clang::Sema& sema_;
  std::vector<Site>* sites_;
  const clang::FunctionDecl* function_ = nullptr;
  std::set<const clang::Expr*> null_pointers_;
};

bool Finder::TraverseDecl(clang::Decl* declaration) {
  if (declaration == nullptr) return true;
  const bool top = declaration->getDeclContext() == nullptr ||
                   declaration->getDeclContext()->isTranslationUnit();
  if (top && !llvm::isa<clang::TranslationUnitDecl>(declaration) &&
      !sources_.isInMainFile(sources_.getExpansionLoc(declaration->getLocation())))
    return true;
  const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
  if (function == nullptr) return Base::TraverseDecl(declaration);
  if (function->isConstexpr() || function->isDefaulted() || !function->hasBody() ||
      !function->isThisDeclarationADefinition())
    return true;
  const clang::FunctionDecl* const outer = std::exchange(function_, function);
  EarlyReturns(function);
  const bool go_on = Base::TraverseDecl(declaration);
  function_ = outer;
  return go_on;
}

bool Finder::TraverseVarDecl(clang::VarDecl* variable) {
  // A constant of the function may be used where the language wants a constant.
  if (variable->isConstexpr() || !variable->hasLocalStorage() ||
      variable->mightBeUsableInConstantExpressions(context_))
    return true;
  const clang::Expr* const init = variable->getInit();
  if (init != nullptr && variable->getType()->isBooleanType()) Condition(init);
  return Base::TraverseVarDecl(variable);
}

bool Finder::TraverseIfStmt(clang::IfStmt* stmt) {
  const bool constant = stmt->isConstexpr() || stmt->isConsteval();
  if (!constant && stmt->getConditionVariable() == nullptr) Condition(stmt->getCond());
  Statement(stmt->getThen());
  Statement(stmt->getElse());
  if (stmt->getElse() == nullptr && !constant) GuardedReturn(stmt->getThen());
  if (!constant) return Base::TraverseIfStmt(stmt);
  return TraverseStmt(stmt->getThen()) && TraverseStmt(stmt->getElse());
}

bool Finder::VisitWhileStmt(clang::WhileStmt* stmt) {
  if (stmt->getConditionVariable() == nullptr) Condition(stmt->getCond());
  return Statement(stmt->getBody());
}

bool Finder::VisitDoStmt(clang::DoStmt* stmt) {
  Condition(stmt->getCond());
  return Statement(stmt->getBody());
}

bool Finder::VisitForStmt(clang::ForStmt* stmt) {
  if (stmt->getConditionVariable() == nullptr) Condition(stmt->getCond());
  return Statement(stmt->getBody());
}

bool Finder::VisitCompoundStmt(clang::CompoundStmt* block) {
  for (const clang::Stmt* const stmt : block->body()) Statement(stmt);
  return true;
}

bool Finder::VisitReturnStmt(clang::ReturnStmt* stmt) {
  const clang::Expr* const value = stmt->getRetValue();
  if (value != nullptr && value->getType()->isBooleanType()) Condition(value);
  return true;
}

bool Finder::VisitConditionalOperator(clang::ConditionalOperator* choice) {
  return Condition(choice->getCond());
}

bool Finder::VisitLambdaExpr(clang::LambdaExpr* lambda) {
  const clang::QualType type = lambda->getCallOperator()->getReturnType();
  if (function_ != nullptr && !type->isDependentType() && IsVoidOrBool(type))
    ReturnAtStart(lambda->getCompoundStmtBody(), type);
  return true;
}

bool Finder::VisitBinaryOperator(clang::BinaryOperator* expr) {
  if (expr->isLogicalOp()) return Condition(expr->getLHS()) && Condition(expr->getRHS());
  const auto compares = [](const clang::Expr* operand) {
    const clang::QualType type = operand->getType();
    return !operand->isTypeDependent() && (type->isArithmeticType() || type->isEnumeralType());
  };
  if (expr->isRelationalOp() && compares(expr->getLHS()) && compares(expr->getRHS()))
    Comparison(expr, expr->getOpcode(), expr->getOperatorLoc());
  return true;
}

bool Finder::VisitCXXRewrittenBinaryOperator(clang::CXXRewrittenBinaryOperator* expr) {
  if (!expr->isTypeDependent() && clang::BinaryOperator::isRelationalOp(expr->getOperator()))
    Comparison(expr, expr->getOperator(), expr->getOperatorLoc());
  return true;
}

bool Finder::VisitImplicitCastExpr(clang::ImplicitCastExpr* cast) {
  if (cast->getCastKind() == clang::CK_NullToPointer)
    null_pointers_.insert(cast->getSubExpr()->IgnoreParenImpCasts());
  return true;
}

bool Finder::VisitIntegerLiteral(clang::IntegerLiteral* literal) {
  const std::optional<Range> range = RangeOf(literal);
  if (!range || null_pointers_.contains(literal)) return true;
  const std::string next = NextNumber(TextOf(*range), literal->getValue());
  if (Site* const site = Add(Kind::kOffByOne, Form::kSwap, *range, next)) site->other = next;
  return true;
}

bool Finder::VisitCXXBoolLiteralExpr(clang::CXXBoolLiteralExpr* literal) {
  const std::string other = literal->getValue() ? "false" : "true";
  Swap(literal, other, other);
  return true;
}

bool Finder::VisitDeclRefExpr(clang::DeclRefExpr* reference) {
  const clang::ValueDecl* const named = reference->getDecl();
  if (const auto* enumerator = llvm::dyn_cast<clang::EnumConstantDecl>(named))
    Enumerator(reference, enumerator);
  else if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(named))
    NamedConstant(reference, variable);
  return true;
}

std::optional<Range> Finder::RangeOf(const clang::Stmt* stmt) const {
  const clang::SourceLocation begin = stmt->getBeginLoc();
  const clang::SourceLocation last = stmt->getEndLoc();
  if (begin.isInvalid() || begin.isMacroID() || last.isInvalid() || last.isMacroID() ||
      !sources_.isInMainFile(begin) || !sources_.isInMainFile(last))
    return std::nullopt;
  const clang::SourceLocation end =
      clang::Lexer::getLocForEndOfToken(last, 0, sources_, context_.getLangOpts());
  return Range{sources_.getFileOffset(begin), sources_.getFileOffset(end)};
}

std::string Finder::TextOf(Range range) const {
  const llvm::StringRef source = sources_.getBufferData(sources_.getMainFileID());
  return OnOneLine(std::string_view(source).substr(range.begin, range.end - range.begin));
}

// Null where nothing is mutated. The site lives until the next one is added.
Site* Finder::Add(Kind kind, Form form, Range range, std::string after) {
  if (function_ == nullptr) return nullptr;
  sites_->push_back({.kind = kind,
                     .form = form,
                     .begin = range.begin,
                     .end = range.end,
                     .operator_begin = 0,
                     .operator_end = 0,
                     .other = {},
                     .function = FunctionName(function_),
                     .before = TextOf(range),
                     .after = std::move(after)});
  return &sites_->back();
}

bool Finder::IsLiteralCondition(const clang::Expr* condition) const {
  return llvm::isa<clang::CXXBoolLiteralExpr, clang::IntegerLiteral>(
      condition->IgnoreParenImpCasts());
}

// Always true, as what visits returns it.
bool Finder::Condition(const clang::Expr* condition) {
  if (condition == nullptr || IsLiteralCondition(condition)) return true;
  const clang::Expr* const bare = condition->IgnoreParens();
  if (const std::optional<Range> range = RangeOf(bare))
    Add(Kind::kCondition, Form::kNegate, *range, "!(" + TextOf(*range) + ")");
  return true;
}

bool Finder::Statement(const clang::Stmt* stmt) {
  if (stmt == nullptr) return true;
  const auto* expr = llvm::dyn_cast<clang::Expr>(stmt);
  if (expr != nullptr && expr->IgnoreParens()->getStmtClass() == clang::Stmt::CStyleCastExprClass)
    return true;  // (void)name
  if (expr != nullptr || llvm::isa<clang::BreakStmt, clang::ContinueStmt>(stmt)) Delete(stmt);
  return true;
}

void Finder::Delete(const clang::Stmt* stmt) {
  const std::optional<Range> range = RangeOf(stmt);
  if (!range) return;
  const clang::SourceLocation end =
      clang::Lexer::findLocationAfterToken(stmt->getEndLoc(), clang::tok::semi, sources_,
                                           context_.getLangOpts(), /*SkipTrailing...=*/false);
  if (end.isValid())
    Add(Kind::kStatement, Form::kDelete, {range->begin, sources_.getFileOffset(end)}, "(nothing)");
}

void Finder::GuardedReturn(const clang::Stmt* branch) {
  const auto* block = llvm::dyn_cast<clang::CompoundStmt>(branch);
  if (block != nullptr) branch = block->body_empty() ? nullptr : block->body_back();
  if (branch != nullptr && llvm::isa<clang::ReturnStmt>(branch)) Delete(branch);
}

void Finder::Comparison(const clang::Expr* whole, clang::BinaryOperatorKind op,
                        clang::SourceLocation op_place) {
  struct Bound {
    clang::BinaryOperatorKind op;
    const char* function;
    const char* after;
  };
  static constexpr Bound kBounds[] = {{clang::BO_LT, "Less", "<="},
                                      {clang::BO_LE, "LessEqual", "<"},
                                      {clang::BO_GT, "Greater", ">="},
                                      {clang::BO_GE, "GreaterEqual", ">"}};
  const std::optional<Range> range = RangeOf(whole);
  if (!range || op_place.isMacroID()) return;
  const auto* bound = std::ranges::find(kBounds, op, &Bound::op);
  if (bound == std::end(kBounds)) return;
  const size_t op_begin = sources_.getFileOffset(op_place);
  const size_t op_end = op_begin + clang::BinaryOperator::getOpcodeStr(op).size();
  const std::string after =
      TextOf({range->begin, op_begin}) + " " + bound->after + " " + TextOf({op_end, range->end});
  if (Site* const site = Add(Kind::kOffByOne, Form::kCompare, *range, after)) {
    site->operator_begin = op_begin;
    site->operator_end = op_end;
    site->other = bound->function;
  }
}

void Finder::Swap(const clang::Expr* expr, std::string other, std::string shown) {
  if (const std::optional<Range> range = RangeOf(expr))
    if (Site* const site = Add(Kind::kConstant, Form::kSwap, *range, std::move(shown)))
      site->other = std::move(other);
}

// The next enumerator of another value, and after the last one the first.
void Finder::Enumerator(const clang::DeclRefExpr* reference,
                        const clang::EnumConstantDecl* enumerator) {
  const auto* type = llvm::cast<clang::EnumDecl>(enumerator->getDeclContext());
  const bool local = type->getParentFunctionOrMethod() != nullptr;
  if (local || sources_.isInSystemHeader(type->getLocation())) return;
  const clang::EnumConstantDecl* other = nullptr;
  bool behind = false;
  for (const clang::EnumConstantDecl* one : type->enumerators()) {
    if (one == enumerator) behind = true;
    if (llvm::APSInt::isSameValue(one->getInitVal(), enumerator->getInitVal())) continue;
    if (other == nullptr) other = one;
    if (!behind) continue;
    other = one;
    break;
  }
  if (other != nullptr)
    Swap(reference, QualifiedName(other),
         type->getNameAsString() + "::" + other->getNameAsString());
}

void Finder::NamedConstant(const clang::DeclRefExpr* reference, const clang::VarDecl* constant) {
  const clang::QualType type = constant->getType();
  if (!constant->isConstexpr() || !constant->isFileVarDecl() || type->isDependentType() ||
      type->isArrayType() || type->isPointerType() ||
      sources_.isInSystemHeader(constant->getLocation()))
    return;
  const clang::VarDecl* other = nullptr;
  bool behind = false;
  for (const clang::Decl* declared : constant->getDeclContext()->decls()) {
    const auto* one = llvm::dyn_cast<clang::VarDecl>(declared);
    if (one == nullptr || !one->isConstexpr() || !context_.hasSameType(one->getType(), type) ||
        sources_.getFileID(one->getLocation()) != sources_.getFileID(constant->getLocation()) ||
        !sources_.isBeforeInTranslationUnit(one->getLocation(), reference->getLocation()))
      continue;
    if (one == constant) {
      behind = true;
      continue;
    }
    if (other != nullptr && !behind) continue;
    other = one;
    if (behind) break;
  }
  if (other != nullptr) Swap(reference, QualifiedName(other), other->getNameAsString());
}

void Finder::EarlyReturns(const clang::FunctionDecl* function) {
  const auto* body = llvm::dyn_cast_or_null<clang::CompoundStmt>(function->getBody());
  if (body == nullptr || body->body_empty()) return;
  const clang::QualType type = function->getReturnType();
  ReturnAtStart(body, type);
  if (!type->isVoidType()) return;
  // Before what branches or loops; before other statements it is much the same.
  for (const clang::Stmt* const stmt : llvm::drop_begin(body->body())) {
    const std::optional<Range> range = RangeOf(stmt);
    if (!range || !llvm::isa<clang::IfStmt, clang::ForStmt, clang::CXXForRangeStmt,
                             clang::WhileStmt, clang::SwitchStmt>(stmt))
      continue;
    if (Site* const site =
            Add(Kind::kReturn, Form::kInsert, {range->begin, range->begin}, "return;"))
      site->other = site->after;
  }
}

void Finder::ReturnAtStart(const clang::CompoundStmt* body, clang::QualType type) {
  const clang::SourceLocation brace = body->getLBracLoc();
  if (body->body_empty() || brace.isMacroID() || !sources_.isInMainFile(brace)) return;
  const size_t at = sources_.getFileOffset(brace) + 1;
  std::vector<std::string> values;
  if (type->isVoidType())
    values = {"return;"};
  else if (type->isBooleanType())
    values = {"return false;", "return true;"};
  else if (HasEmptyValue(type))
    values = {"return {};"};
  for (const std::string& value : values)
    if (Site* const site = Add(Kind::kReturn, Form::kInsert, {at, at}, value)) site->other = value;
}

bool Finder::HasEmptyValue(clang::QualType type) {
  if (type->isDependentType() || type->isReferenceType()) return false;
  if (type->isScalarType()) return true;
  clang::CXXRecordDecl* const record = type->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition()) return false;
  if (record->isAggregate())
    return std::ranges::all_of(record->fields(), [this](const clang::FieldDecl* field) {
      return field->hasInClassInitializer() || HasEmptyValue(field->getType());
    });
  const clang::CXXConstructorDecl* const made =
      sema_.LookupDefaultConstructor(record->getDefinition());
  return made != nullptr && !made->isDeleted() && !made->isExplicit() &&
         made->getAccess() == clang::AS_public;
}

class Consumer : public clang::ASTConsumer {
 public:
  Consumer(clang::CompilerInstance& compiler, std::vector<Site>* sites)
      : compiler_(compiler), sites_(sites) {}

  void HandleTranslationUnit(clang::ASTContext& context) override {
    if (compiler_.getDiagnostics().hasErrorOccurred()) return;
    Finder finder(context, compiler_.getSema(), sites_);
    finder.TraverseDecl(context.getTranslationUnitDecl());
  }

 private:
  clang::CompilerInstance& compiler_;
  std::vector<Site>* sites_;
};

class Action : public clang::ASTFrontendAction {
 public:
  explicit Action(std::vector<Site>* sites) : sites_(sites) {}

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    return std::make_unique<Consumer>(compiler, sites_);
  }

 private:
  std::vector<Site>* sites_;
};

// Clang's own headers: in a folder beside its library.
std::string ResourceFolder() {
  Dl_info library;
  if (dladdr(reinterpret_cast<const void*>(&clang::getClangToolFullVersion), &library) == 0)
    return {};
  const std::filesystem::path folder = std::filesystem::canonical(library.dli_fname).parent_path();
  return (folder.parent_path() / "clang" / CLANG_VERSION_MAJOR_STRING).string();
}

}  // namespace

Found FindSites(const std::string& name, const std::string& source,
                const std::vector<std::string>& flags) {
  using llvm::vfs::InMemoryFileSystem;
  using llvm::vfs::OverlayFileSystem;
  const auto memory = llvm::makeIntrusiveRefCnt<InMemoryFileSystem>();
  const auto overlay = llvm::makeIntrusiveRefCnt<OverlayFileSystem>(llvm::vfs::getRealFileSystem());
  overlay->pushOverlay(memory);
  memory->addFile(name, 0, llvm::MemoryBuffer::getMemBufferCopy(source));
  const auto files =
      llvm::makeIntrusiveRefCnt<clang::FileManager>(clang::FileSystemOptions(), overlay);

  std::vector<std::string> arguments = {"clang", "-fsyntax-only", "-w", "-resource-dir",
                                        ResourceFolder()};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  arguments.push_back(name);
  Found found;
  clang::tooling::ToolInvocation invocation(arguments, std::make_unique<Action>(&found.sites),
                                            files.get());
  llvm::raw_string_ostream said(found.problem);
  const auto options = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
  clang::TextDiagnosticPrinter printer(said, options.get());
  invocation.setDiagnosticConsumer(&printer);
  if (!invocation.run() && found.problem.empty()) found.problem = name + ": clang failed";
  SortSites(&found.sites);
  return found;
}

}  // namespace cm::mutant
