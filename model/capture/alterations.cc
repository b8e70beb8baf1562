#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/capture/altered.h"
#include "model/capture/sender_fingerprint.h"
#include "model/mad/text.h"

namespace cm::wire {
namespace {

// Values of a damaged field: its neighbours, its limits, single flipped bits.
std::vector<uint64_t> OtherValues(uint64_t value, const mad::Field& field) {
  const uint64_t most = field.max();
  std::set<uint64_t> others = {0,
                               most,
                               (value + 1) & most,
                               (value - 1) & most,
                               value ^ 1,
                               value ^ (most / 2 + 1),
                               ~value & most};
  others.erase(value);
  return {others.begin(), others.end()};
}

// The rows about one field of a message.
struct Rows {
  bool related = false;  // to other messages; then any other value is wrong
  std::vector<std::pair<uint64_t, uint64_t>> ranges;

  bool Wrong(uint64_t value) const {
    return related || std::none_of(ranges.begin(), ranges.end(), [value](const auto& range) {
             return range.first <= value && value <= range.second;
           });
  }
};

std::map<std::string_view, Rows> ConstrainedIn(const mad::Frame& frame,
                                               std::span<const mad::Constraint> table) {
  std::map<std::string_view, Rows> fields;
  for (const mad::Constraint& row : table) {
    if (row.field.empty()) continue;
    if (row.message != mad::kEveryMessage && row.message != frame.mad.header.kind()) continue;
    if (!row.when.field.empty()) {
      const auto value = mad::ValueOf(frame, row.when.field);
      if (!value || *value < row.when.low || *value > row.when.high) continue;
    }
    Rows& rows = fields[row.field];
    if (row.relation == mad::Relation::kRange)
      rows.ranges.emplace_back(row.low, row.high);
    else
      rows.related = true;
  }
  fields["mad.attribute_id"].related = true;
  return fields;
}

void AlterFields(const Capture& capture, size_t i, std::span<const mad::Constraint> table,
                 std::vector<Alteration>* all) {
  const mad::Frame& frame = capture.frames[i].frame;
  for (const auto& [path, rows] : ConstrainedIn(frame, table)) {
    const auto place = mad::Find(mad::LayersOf(frame), path);
    const auto value = mad::ValueOf(frame, path);
    if (!place || !value) continue;
    for (const uint64_t other : OtherValues(*value, place->field))
      if (rows.Wrong(other)) all->push_back(Altered(capture, i, std::string(path), other));
  }
  for (const mad::Layer& layer : mad::LayersOf(frame.mad))
    for (const mad::Field& field : layer.fields)
      if (field.show == mad::Show::kReserved && field.is_number())
        all->push_back(Altered(capture, i, std::string(layer.name) + "." + std::string(field.name),
                               field.max()));
}

std::string LocalCidOf(const mad::Frame& frame) {
  const auto name = mad::AttributeText(frame.mad.header.attribute_id);
  return name.starts_with("SIDR") ? name + ".request_id" : name + ".local_cid";
}

}  // namespace

std::vector<Alteration> FieldsAltered(const Capture& capture,
                                      std::span<const mad::Constraint> table) {
  std::vector<Alteration> all;
  for (size_t i = 0; i < capture.frames.size(); ++i) AlterFields(capture, i, table, &all);
  return all;
}

std::vector<Alteration> DroppedOrSwapped(const Capture& capture) {
  std::vector<Alteration> all;
  for (size_t i = 0; i < capture.frames.size(); ++i) {
    all.push_back(Dropped(capture, i));
    if (i + 1 == capture.frames.size()) continue;
    // Two messages of the same kind that are swapped make no difference.
    if (capture.frames[i].frame.mad == capture.frames[i + 1].frame.mad) continue;
    all.push_back(Swapped(capture, i));
  }
  return all;
}

std::vector<Alteration> MadeUp(const Capture& capture) {
  constexpr int64_t kAtOnce = 1'000'000;
  std::vector<Alteration> all;
  for (size_t i = 0; i < capture.frames.size(); ++i) {
    const mad::Frame& frame = capture.frames[i].frame;
    Alteration reversed = Altered(capture, i, "mad.status", 0);
    reversed.what = Dropped(capture, i).what + " and sent the other way";
    reversed.capture.frames[i].frame = Reversed(frame);
    all.push_back(std::move(reversed));
    const uint64_t psn = mad::ValueOf(frame, "bth.psn").value() + 1;
    const mad::Frame next = With(frame, "bth.psn", psn & 0xffffff);
    all.push_back(Inserted(capture, i, "again at once", next, kAtOnce));
    // SAP, SPR and ClassPortInfo name no id.
    const std::string cid = LocalCidOf(frame);
    if (const auto own = mad::ValueOf(frame, cid))
      all.push_back(Inserted(capture, i, "again by another id", With(frame, cid, *own ^ 0x40000000),
                             kAtOnce));
    if (i > 0)
      all.push_back(
          Inserted(capture, 0, "then early " + Dropped(capture, i).what, frame, kAtOnce / 1000));
  }
  return all;
}

std::vector<mad::Constraint> ConstraintsOfSoftRoce() {
  std::vector<mad::Constraint> table = FilledBy(SoftRoce());
  table.insert(table.end(), mad::Constraints().begin(), mad::Constraints().end());
  return table;
}

}  // namespace cm::wire
