// Guards of rdma_set_option and rdma_migrate_id.
#ifndef MODEL_ORACLE_MACHINE_OPTION_GUARDS_H_
#define MODEL_ORACLE_MACHINE_OPTION_GUARDS_H_

#include <array>
#include <variant>

#include "model/oracle/machine/guard_row.h"

namespace cm::model::guards {

inline constexpr uint32_t kCopiedAtMost = 4u << 20;
inline constexpr uint32_t kPathRecord = 72;  // struct ib_path_rec_data
inline constexpr uint32_t kOwnPath = 0x2b;   // its flags: of messages and of data, both ways

inline const call::SetOption& SetBy(const Situation& s) {
  return std::get<call::SetOption>(s.call);
}

inline Certainty OptionUnknown(const Situation& s) {
  const IdOption option = SetBy(s).option;
  return Of(option != kTosOption && option != kReuseAddrOption && option != kAfOnlyOption &&
            option != kAckTimeoutOption && option != kIbPathOption);
}

inline Certainty OptionMalformed(const Situation& s) {
  const call::SetOption& set = SetBy(s);
  if (set.option == kIbPathOption)
    return Of(set.length == 0 || set.length % kPathRecord != 0 || set.value != kOwnPath);
  const bool byte = set.option == kTosOption || set.option == kAckTimeoutOption;
  return Of(set.length != (byte ? 1 : 4));
}

inline Certainty SynchronousAlready(const Situation& s) {
  return Of(s.info.synchronous() && !std::get<call::MigrateId>(s.call).channel.valid());
}

inline constexpr auto kOfOptions = std::to_array<GuardRow>({
    {Guard::kOptionTooLong, [](const Situation& s) { return Of(SetBy(s).length > kCopiedAtMost); }},
    {Guard::kOptionUnknown, OptionUnknown},
    {Guard::kOptionMalformed, OptionMalformed},
    {Guard::kReuseWanted,
     [](const Situation& s) {
       return Of(SetBy(s).option == kReuseAddrOption && SetBy(s).value != 0);
     }},
    {Guard::kReuseUnwanted,
     [](const Situation& s) {
       return Of(SetBy(s).option == kReuseAddrOption && SetBy(s).value == 0);
     }},
    {Guard::kFamilyOnlyWanted,
     [](const Situation& s) { return Of(SetBy(s).option == kAfOnlyOption); }},
    {Guard::kTimeoutWanted,
     [](const Situation& s) { return Of(SetBy(s).option == kAckTimeoutOption); }},
    {Guard::kPathWanted, [](const Situation& s) { return Of(SetBy(s).option == kIbPathOption); }},
    {Guard::kSynchronousAlready, SynchronousAlready},
});

}  // namespace cm::model::guards

#endif  // MODEL_ORACLE_MACHINE_OPTION_GUARDS_H_
