#include "draw/candidates.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "math/portable_math.hpp"
#include "weir/automata/mask.hpp"

namespace weir::sampling {
namespace {

constexpr std::size_t kBits = 32;  // in a word of a mask

std::size_t blocks_of(std::size_t size) noexcept { return (size + kBlock - 1) / kBlock; }

Uint128 units(const BlockSum& sum) noexcept {
  const auto high = static_cast<std::int64_t>(sum.high * 0x1p31);
  const auto low = static_cast<std::int64_t>(sum.low * 0x1p62);
  return static_cast<Uint128>((__extension__ static_cast<__int128>(high) * (std::int64_t{1} << 31U)) + low);
}

Uint128 total(std::span<const BlockSum> blocks) noexcept {
  Uint128 sum = 0;
  for (const BlockSum& block : blocks) sum += units(block);
  return sum;
}

bool allows_past(std::span<const std::uint32_t> mask, std::size_t size) noexcept {
  const std::size_t whole = size / kBits;
  if (size % kBits != 0 && mask[whole] >> (size % kBits) != 0) return true;
  return any_bit(mask.subspan((size + kBits - 1) / kBits));
}

}  // namespace

double Sums::entropy() const noexcept {
  const double sum = from_fixed(weight);
  return portable_log(sum) + from_fixed(surprise) / sum;
}

double scale_of(double temperature) noexcept { return std::min(1.0 / temperature, std::numeric_limits<double>::max()); }

Status Candidates::gather(std::span<const float> logits, std::span<const std::uint32_t> mask) {
  if (logits.empty()) return make_error(ErrorCode::kArgument, "there are no logits: pass one for each token");
  if (logits.size() > std::numeric_limits<std::uint32_t>::max()) {
    return make_error(ErrorCode::kArgument, "more than 2^32 - 1 logits");
  }
  sparse_ = false;
  edited_ = false;
  if (mask.empty()) {
    allowed_ = logits.size();
    raw_ = logits_ = logits;
    return ok_status();
  }
  const std::size_t words = (logits.size() + kBits - 1) / kBits;
  if (mask.size() < words) {
    return make_error(ErrorCode::kArgument,
                      fmt::format("the mask has {} words; {} logits need {}", mask.size(), logits.size(), words));
  }
  if (allows_past(mask, logits.size())) {
    return make_error(ErrorCode::kArgument,
                      fmt::format("the mask allows tokens past the {} logits: the model and the mask have different "
                                  "vocabularies",
                                  logits.size()));
  }
  return gather_few(logits, mask.first(words), words);
}

Status Candidates::gather_few(std::span<const float> logits, std::span<const std::uint32_t> mask, std::size_t words) {
  // Gathering pays up to about one token in sixteen; it costs more than copying everything after that.
  const auto most = static_cast<std::ptrdiff_t>(std::max<std::size_t>(64, logits.size() / 16));
  words_.resize(words + kBlock);
  const std::size_t used = nonzero(mask.data(), words, words_.data());
  tokens_.clear();
  storage_.clear();
  bool few = static_cast<std::ptrdiff_t>(used) <= most;
  for (std::size_t i = 0; i < used && few; ++i) {
    const std::size_t base = words_[i] * kBits;
    for (std::uint32_t bits = mask[words_[i]]; bits != 0; bits &= bits - 1) {
      const std::size_t token = base + static_cast<std::size_t>(std::countr_zero(bits));
      tokens_.push_back(static_cast<TokenId>(token));
      storage_.push_back(logits[token]);
    }
    few = static_cast<std::ptrdiff_t>(tokens_.size()) <= most;
  }
  if (used == 0) {
    return make_error(ErrorCode::kInvalid, "the mask allows no token, so there is nothing to draw");
  }
  sparse_ = few;
  if (few) {
    allowed_ = tokens_.size();
  } else {
    allowed_ = count_bits(mask);
    storage_.assign(logits.begin(), logits.end());
    apply_mask(storage_, mask);
  }
  raw_ = logits_ = storage_;
  return ok_status();
}

std::span<float> Candidates::edit() {
  if (!edited_) {
    edits_.assign(raw_.begin(), raw_.end());
    logits_ = edits_;
    edited_ = true;
  }
  return edits_;
}

Status check_extremes(const Extremes& found, std::span<const float> logits, std::span<const TokenId> tokens) {
  if (!found.finite) {
    const auto bad = std::find_if(logits.begin(), logits.end(),
                                  [](float value) { return !(value <= std::numeric_limits<float>::max()); });
    const auto index = static_cast<std::size_t>(bad - logits.begin());
    return make_error(ErrorCode::kInvalid, fmt::format("the logit of token {} is {}; logits must be finite or -inf",
                                                       tokens.empty() ? static_cast<TokenId>(index) : tokens[index],
                                                       std::isnan(*bad) ? "NaN" : "+inf"));
  }
  if (std::isinf(found.max)) {
    return make_error(ErrorCode::kInvalid, "the logits of all allowed tokens are -inf, so none of them can be drawn");
  }
  return ok_status();
}

Status Candidates::find_maximum() {
  maxima_.resize(blocks_of(size()));
  const Extremes found = sampling::block_maxima(logits_.data(), size(), maxima_.data());
  max_ = found.max;
  return check_extremes(found, logits_, tokens());
}

std::size_t Candidates::find(TokenId token) const noexcept {
  if (!sparse_) return std::min<std::size_t>(token, size());
  const auto at = std::lower_bound(tokens_.begin(), tokens_.end(), token);
  return at != tokens_.end() && *at == token ? static_cast<std::size_t>(at - tokens_.begin()) : size();
}

std::size_t Candidates::greatest() const noexcept {
  std::size_t block = 0;
  while (maxima_[block] != max_) ++block;
  std::size_t index = block * kBlock;
  while (logits_[index] != max_) ++index;
  return index;
}

Sums Candidates::sums(double temperature, bool surprise) {
  blocks_.resize(maxima_.size());
  if (surprise) surprises_.resize(maxima_.size());
  block_sums(logits_.data(), size(), {max_, scale_of(temperature)}, blocks_.data(),
             surprise ? surprises_.data() : nullptr);
  return {total(blocks_), surprise ? total(surprises_) : 0};
}

std::size_t Candidates::at(Uint128 amount, double temperature) const {
  std::size_t block = 0;
  for (; block + 1 < blocks_.size(); ++block) {
    const Uint128 sum = units(blocks_[block]);
    if (amount < sum) break;
    amount -= sum;
  }
  std::array<double, kBlock> weights;
  const std::size_t last = std::min(kBlock, size() - block * kBlock) - 1;
  exponentials(logits_.data() + block * kBlock, last + 1, {max_, scale_of(temperature)}, weights.data());
  std::size_t i = 0;
  for (; i < last; ++i) {
    const std::uint64_t weight = fixed(weights[i]);
    if (amount < weight) break;
    amount -= weight;
  }
  return block * kBlock + i;
}

Status Normaliser::measure(std::span<const float> logits) {
  maxima_.resize(blocks_of(logits.size()));
  blocks_.resize(maxima_.size());
  const Extremes found = block_maxima(logits.data(), logits.size(), maxima_.data());
  if (Status status = check_extremes(found, logits, {}); !status) return status.error();
  block_sums(logits.data(), logits.size(), {found.max, 1.0}, blocks_.data(), nullptr);
  assign(found.max, total(blocks_));
  return ok_status();
}

void Normaliser::assign(float max, Uint128 sum) noexcept {
  max_ = max;
  log_sum_ = portable_log(from_fixed(sum));
}

double Normaliser::log_probability(float logit) const noexcept {
  return (static_cast<double>(logit) - static_cast<double>(max_)) - log_sum_;
}

}  // namespace weir::sampling
