#include "conformance/adapters/dl/caller.h"

#include <cerrno>

#include "conformance/adapters/dl/c_enum.h"
#include "conformance/adapters/dl/calls.h"
#include "model/vocabulary/call_names.h"

namespace cm {
namespace {

// The object that a call has created, under its name.
void Name(IdRef ref, const Products& products, Application* app) {
  app->objects.Set(ref, products.id);
}
void Name(ChannelRef ref, const Products& products, Application* app) {
  app->objects.Set(ref, products.channel);
}
void Name(EventRef ref, const Products& products, Application* app) {
  app->objects.Set(ref, products.event);
}
void Name(HeldRef ref, const Products& products, Application* app) {
  app->objects.Set(ref, products.info, products.devices);
}
void Name(MrRef ref, const Products& products, Application* app) {
  app->memory.SetRegion(ref, products.region);
}

}  // namespace

Caller::Caller(const RdmaCmApi* api, const Conversation* conversation)
    : app_(std::make_unique<Application>(api, *conversation)) {
  UseInline(api);
}
Caller::~Caller() = default;

void Caller::Use(const RdmaCmApi* api) {
  app_->api = api;
  UseInline(api);
}

rdma_event_channel* Caller::ChannelOf(ChannelRef ref) const { return app_->At(ref); }

void Caller::Make(const Call& call, Products* products) {
  *products = {};
  const call::Work* const work = WorkOf(call);
  const bool receive = IsReceive(KindOf(call));
  if (work != nullptr) app_->memory.NotePosted(*work, receive);
  errno = 0;
  products->value =
      std::visit([&](const auto& one) { return cm::Make(one, *app_, products); }, call);
  products->error = errno;
  if (work != nullptr && products->value != 0) app_->memory.ForgetPosted(*work, receive);
}

seen::Answered Caller::Conclude(const Call& call, const Products& products) {
  seen::Answered answered;
  answered.reply.value = products.value;
  // The resolver has error numbers of its own, below -1.
  if (products.value == -1) answered.reply.error = static_cast<Errno>(products.error);
  if (products.value != 0) return answered;
  answered.output = products.output;
  EachName(call, [&](const auto& ref, const FieldInfo& info) {
    if (info.use == NameUse::kMakes && !info.derived) Name(ref, products, app_.get());
  });
  if (const auto* show = std::get_if<call::Show>(&call)) {
    answered.shown = Look(app_->At(show->id), *app_);
  } else if (const auto* show = std::get_if<call::ShowEvent>(&call)) {
    const rdma_cm_id* const id = app_->At(show->id);
    if (id->event != nullptr) answered.event = Read(*id->event, *app_);
  } else if (const auto* get = std::get_if<call::GetCmEvent>(&call)) {
    const rdma_cm_event& event = *products.event;
    if (ValueOf(event.event) == RDMA_CM_EVENT_CONNECT_REQUEST)
      app_->objects.Set(get->request, event.id);
    answered.event = Read(event, *app_);
    const IdRef of = answered.event->id;
    if (ValueOf(event.event) == RDMA_CM_EVENT_ESTABLISHED && of.valid() &&
        ValueOf(event.id->qp_type) == IBV_QPT_UD)
      app_->services.Learn(of, event.param.ud);
  }
  return answered;
}

}  // namespace cm
