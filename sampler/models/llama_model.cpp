// LlamaModel by llama.cpp. The only file that includes llama.h.
#include "weir/sampler/llama_model.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <llama.h>

namespace weir {
namespace {

struct FreeModel {
  void operator()(llama_model* model) const noexcept { llama_model_free(model); }
};
struct FreeContext {
  void operator()(llama_context* context) const noexcept { llama_free(context); }
};

constexpr std::uint32_t kBatch = 512;

// llama.cpp reports failures by logging them, to a function of the process. The last error is kept to be quoted.
class LlamaLog {
 public:
  static LlamaLog& instance() {
    static LlamaLog log;
    return log;
  }
  void forget() {
    const std::lock_guard lock(mutex_);
    last_.clear();
  }
  // ": reason", or nothing.
  std::string reason() {
    const std::lock_guard lock(mutex_);
    std::string text = last_;
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text.empty() ? "" : ": " + text;
  }

 private:
  LlamaLog() {
    llama_log_set(&LlamaLog::take, this);
    llama_backend_init();
  }
  static void take(ggml_log_level level, const char* text, void* self) {
    if (level != GGML_LOG_LEVEL_ERROR) return;
    auto& log = *static_cast<LlamaLog*>(self);
    const std::lock_guard lock(log.mutex_);
    if (log.last_.empty()) log.last_ = text;  // the first error is the cause, the rest follow from it
  }
  std::mutex mutex_;
  std::string last_;
};

Result<std::vector<TokenId>> tokenize(const llama_vocab* vocab, std::string_view text, bool add_special,
                                      bool parse_special) {
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()) / 2) {
    return make_error(ErrorCode::kLimit, fmt::format("the prompt has {} bytes, too many for any model", text.size()));
  }
  const auto size = static_cast<std::int32_t>(text.size());
  std::vector<llama_token> tokens(text.size() + 8);
  auto count = llama_tokenize(vocab, text.data(), size, tokens.data(), static_cast<std::int32_t>(tokens.size()),
                              add_special, parse_special);
  if (count < 0 && count != std::numeric_limits<std::int32_t>::min()) {
    tokens.resize(static_cast<std::size_t>(-count));
    count = llama_tokenize(vocab, text.data(), size, tokens.data(), -count, add_special, parse_special);
  }
  if (count < 0) return make_error(ErrorCode::kInvalid, "llama.cpp cannot tokenise the prompt");
  return std::vector<TokenId>(tokens.begin(), tokens.begin() + count);
}

// What the model's chat template writes before and after a user's message; nullopt if it has none that llama.cpp knows.
std::optional<std::pair<std::string, std::string>> chat_frame(const llama_model* model) {
  const char* chat_template = llama_model_chat_template(model, nullptr);
  if (chat_template == nullptr) return std::nullopt;
  const std::string marker = "@weir-user-message@";
  const llama_chat_message message{"user", marker.c_str()};
  std::string text(4096, '\0');
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto length = llama_chat_apply_template(chat_template, &message, 1, true, text.data(),
                                                  static_cast<std::int32_t>(text.size()));
    if (length < 0) return std::nullopt;
    const bool fits = static_cast<std::size_t>(length) <= text.size();
    text.resize(static_cast<std::size_t>(length));
    if (fits) break;
  }
  const std::size_t at = text.find(marker);
  if (at == std::string::npos) return std::nullopt;
  return std::pair(text.substr(0, at), text.substr(at + marker.size()));
}

}  // namespace

struct LlamaModel::Impl {
  Status evaluate();
  Status decode_from(std::size_t first);
  void forget();

  std::unique_ptr<llama_model, FreeModel> model;
  std::unique_ptr<llama_context, FreeContext> context;
  std::shared_ptr<const Vocabulary> vocabulary;
  std::optional<std::pair<std::string, std::string>> frame;
  std::vector<llama_token> tokens;  // the context
  std::vector<llama_token> held;    // the tokens that llama.cpp's memory holds
  std::vector<float> logits;        // of the last token of `tokens`, if `fresh`
  bool fresh = false;
  // The last context that was evaluated from nothing, a prompt as a rule, and its logits. llama.cpp's arithmetic
  // depends on how tokens are batched; coming back here, rather than evaluating the prompt's last token again, makes
  // every text after one prompt the same whether it is the first or not.
  std::size_t start_length = 0;
  std::vector<float> start_logits;
};

void LlamaModel::Impl::forget() {
  llama_memory_clear(llama_get_memory(context.get()), true);
  held.clear();
  start_length = 0;
}

Status LlamaModel::Impl::decode_from(std::size_t first) {
  while (first < tokens.size()) {
    const std::size_t count = std::min<std::size_t>(kBatch, tokens.size() - first);
    const int status =
        llama_decode(context.get(), llama_batch_get_one(tokens.data() + first, static_cast<std::int32_t>(count)));
    if (status != 0) {
      return make_error(ErrorCode::kInvalid, fmt::format("llama.cpp could not evaluate {} tokens (status {}){}", count,
                                                         status, LlamaLog::instance().reason()));
    }
    first += count;
  }
  const float* last = llama_get_logits_ith(context.get(), -1);
  if (last == nullptr) return make_error(ErrorCode::kInvalid, "llama.cpp gave no logits: is this a language model?");
  logits.assign(last, last + vocabulary->size());
  return ok_status();
}

Status LlamaModel::Impl::evaluate() {
  LlamaLog::instance().forget();
  const auto differs = std::mismatch(held.begin(), held.end(), tokens.begin(), tokens.end()).first;
  std::size_t common = static_cast<std::size_t>(differs - held.begin());
  const bool at_start = start_length > 0 && common >= start_length && tokens.size() == start_length;
  // The last token is evaluated (again): its logits are asked for.
  if (!at_start) common = std::min(common, tokens.size() - 1);
  llama_memory_t memory = llama_get_memory(context.get());
  const bool cut = common >= start_length && llama_memory_seq_rm(memory, 0, static_cast<llama_pos>(common), -1);
  if (cut && at_start) {
    held = tokens;
    logits = start_logits;
    return ok_status();
  }
  if (!cut) {  // another prompt, or a memory that cannot be cut, as of recurrent models
    forget();
    common = 0;
  }
  if (Status status = decode_from(common); !status) {
    forget();
    return status;
  }
  held = tokens;
  if (common == 0) {
    start_length = tokens.size();
    start_logits = logits;
  }
  return ok_status();
}

bool LlamaModel::available() noexcept { return true; }

Result<std::unique_ptr<LlamaModel>> LlamaModel::open(const std::string& path, const ModelOptions& options) {
  if (options.context == 0 || options.context > (std::size_t{1} << 24U)) {
    return make_error(ErrorCode::kArgument,
                      fmt::format("a context of {} tokens; it must be 1 to 2^24", options.context));
  }
  if (options.threads < 0 || options.threads > 512) {
    return make_error(ErrorCode::kArgument,
                      fmt::format("{} threads; it must be 0 (automatic) to 512", options.threads));
  }
  // weir's own reader first: it knows the bytes of the tokens, and it refuses malformed files with a place.
  auto vocabulary = Vocabulary::from_file(path);
  if (!vocabulary) return vocabulary.error();

  LlamaLog::instance().forget();
  auto impl = std::make_unique<Impl>();
  llama_model_params model_params = llama_model_default_params();
  model_params.check_tensors = false;
  impl->model.reset(llama_model_load_from_file(path.c_str(), model_params));
  if (!impl->model) {
    return make_error(ErrorCode::kSyntax, fmt::format("llama.cpp cannot load '{}'{}; it must be a complete GGUF file "
                                                      "with weights, of an architecture that it knows",
                                                      path, LlamaLog::instance().reason()));
  }
  const auto width = static_cast<std::size_t>(llama_vocab_n_tokens(llama_model_get_vocab(impl->model.get())));
  if (width != vocabulary->size()) {
    return make_error(ErrorCode::kInvalid, fmt::format("'{}' has logits for {} tokens, but its tokenizer has {}", path,
                                                       width, vocabulary->size()));
  }
  impl->vocabulary = std::make_shared<const Vocabulary>(std::move(*vocabulary));

  const auto trained = static_cast<std::size_t>(std::max(1, llama_model_n_ctx_train(impl->model.get())));
  llama_context_params context_params = llama_context_default_params();
  context_params.n_ctx = static_cast<std::uint32_t>(std::min(options.context, trained));
  context_params.n_batch = kBatch;
  context_params.n_ubatch = kBatch;
  // llama.cpp's threads wait for each other spinning: one that shares its core with anything else stalls all of them,
  // by a factor of ten and more. Half the cores leave room.
  const auto half = static_cast<int>(std::clamp(std::thread::hardware_concurrency() / 2, 1U, 8U));
  context_params.n_threads = options.threads > 0 ? options.threads : half;
  context_params.n_threads_batch = context_params.n_threads;
  context_params.no_perf = true;
  impl->context.reset(llama_init_from_model(impl->model.get(), context_params));
  if (!impl->context) {
    return make_error(ErrorCode::kInvalid, fmt::format("llama.cpp cannot make a context of {} tokens for '{}'{}",
                                                       context_params.n_ctx, path, LlamaLog::instance().reason()));
  }
  if (options.chat) impl->frame = chat_frame(impl->model.get());
  return std::unique_ptr<LlamaModel>(new LlamaModel(std::move(impl)));
}

LlamaModel::LlamaModel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LlamaModel::~LlamaModel() = default;

const std::shared_ptr<const Vocabulary>& LlamaModel::vocabulary() const noexcept { return impl_->vocabulary; }

Result<std::vector<TokenId>> LlamaModel::encode_prompt(std::string_view text) const {
  const llama_vocab* vocab = llama_model_get_vocab(impl_->model.get());
  if (!impl_->frame) return tokenize(vocab, text, true, false);
  // In three parts, so that only the template's own control tokens are read as such.
  auto tokens = tokenize(vocab, impl_->frame->first, true, true);
  if (!tokens) return tokens.error();
  for (const auto& [part, special] :
       {std::pair(text, false), std::pair(std::string_view(impl_->frame->second), true)}) {
    auto more = tokenize(vocab, part, false, special);
    if (!more) return more.error();
    tokens->insert(tokens->end(), more->begin(), more->end());
  }
  return tokens;
}

Status LlamaModel::append(std::span<const TokenId> tokens) {
  for (const TokenId token : tokens) {
    if (token >= impl_->vocabulary->size()) {
      return make_error(ErrorCode::kArgument,
                        fmt::format("token {} is past the vocabulary of {} tokens", token, impl_->vocabulary->size()));
    }
  }
  if (tokens.size() > max_length() - length()) {
    return make_error(ErrorCode::kLimit, fmt::format("{} more tokens exceed the model's context of {}: shorten the "
                                                     "prompt, or open the model with a larger context",
                                                     tokens.size(), max_length()));
  }
  for (const TokenId token : tokens) impl_->tokens.push_back(static_cast<llama_token>(token));
  if (!tokens.empty()) impl_->fresh = false;
  return ok_status();
}

Result<std::span<const float>> LlamaModel::logits() {
  if (impl_->tokens.empty()) {
    return make_error(ErrorCode::kInvalid, "the context is empty; append a prompt (or a beginning-of-sequence token)");
  }
  if (!impl_->fresh) {
    if (Status status = impl_->evaluate(); !status) return status.error();
    impl_->fresh = true;
  }
  return std::span<const float>(impl_->logits);
}

Status LlamaModel::rewind(std::size_t length) {
  if (length > impl_->tokens.size()) {
    return make_error(ErrorCode::kArgument,
                      fmt::format("cannot rewind to {}: the context has {} tokens", length, impl_->tokens.size()));
  }
  if (length == impl_->tokens.size()) return ok_status();
  impl_->tokens.resize(length);
  impl_->fresh = false;
  return ok_status();
}

std::size_t LlamaModel::length() const noexcept { return impl_->tokens.size(); }
std::size_t LlamaModel::max_length() const noexcept { return llama_n_ctx(impl_->context.get()); }

}  // namespace weir
