// Tests of a data structure from its operations: every thread calls them in every way, and the results must be explained by
// an order of the calls, one after the other. `dpor scenario FILE` compiles and checks; a program that dpor-c++ built with
// this header is checked by `dpor scenario PROGRAM`.
//
//   #include <dpor/scenario.hpp>
//   struct Stack { void push(int); std::optional<int> pop(); };
//   DPOR_SCENARIO(Stack,
//       dpor::operation("push", [](auto &stack, int value) { stack.push(value); }, dpor::values(1, 2)),
//       dpor::operation("pop", [](auto &stack) { return stack.pop(); }))
//
// What calls return one after the other is learnt from the object itself, made anew and used by one thread, unless there is
// a dpor::specification. Results are compared with ==; exceptions are results, compared by type and what().
//
// Further arguments of DPOR_SCENARIO, in any order:
//   dpor::made_by([] { return new Queue(2); })      how an object is made, if not without arguments
//   dpor::specification<Other>()                    another class that says what calls return one after the other
//   dpor::specification([] { return new Other(2); })  the same, with how it is made
//   dpor::validate("in order", [](Queue &queue) { return queue.is_in_order(); })   has to hold when all calls returned
//   dpor::invariant("bounded", [](const Queue &queue) { return queue.size <= 2; })   has to hold after every step while calls are
//                                                   made; it reads memory and nothing else
//   dpor::size(3, 1)                                threads and calls of each, where nobody asks for others (dpor check)
//   dpor::quiescent, dpor::sequentially_consistent  the question, likewise
//   dpor::threads_differ                            which thread makes which calls counts: the object tells threads apart
// Of an operation:
//   .waits_when([](auto &queue) { return queue.empty(); })   the call would wait for another one; also with its arguments
//   .by_one_thread()     in a scenario one thread makes all calls of it: the owner of a deque, say; .by_one_thread(2): and of
//                        those of the same number, which is 1 if there is none
//   .specified_by([](auto &other, int value) { … })          what it does to the specification, if not the same
// Instead of dpor::values: dpor::alike(1, 2). Nothing that the object does depends on which of them it is; scenarios that
// are the same but for an exchange are run once. That is taken for true, and not looked at.
//
// C++17. Results must not be addresses, which differ from object to object.
#ifndef DPOR_SCENARIO_HPP
#define DPOR_SCENARIO_HPP

#include <dpor/scenario_core.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cxxabi.h>
#include <exception>
#include <memory>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace dpor {

/// Values of an argument.
template <class V> struct values_of {
    std::vector<V> list;
    /// Nothing depends on which of them it is.
    bool are_alike;
};

template <class... V> auto values(V... list)
{
    return values_of<std::common_type_t<V...>>{{static_cast<std::common_type_t<V...>>(list)...}, false};
}

template <class... V> auto alike(V... list)
{
    return values_of<std::common_type_t<V...>>{{static_cast<std::common_type_t<V...>>(list)...}, true};
}

struct never_waits {};
struct as_the_object {};

/// An operation: `run` with each combination of values.
template <class F, class Waits, class Specified, class... V> struct operation_of {
    const char *name;
    F run;
    Waits waits;
    Specified specified;
    std::tuple<values_of<V>...> arguments;
    /// Above 0: calls of this number are made by one thread.
    int role;

    template <class G> auto waits_when(G condition) const
    {
        return operation_of<F, G, Specified, V...>{name, run, condition, specified, arguments, role};
    }
    template <class G> auto specified_by(G other) const
    {
        return operation_of<F, Waits, G, V...>{name, run, waits, other, arguments, role};
    }
    auto by_one_thread(int number = 1) const
    {
        auto changed = *this;
        changed.role = number;
        return changed;
    }
};

template <class F, class... V> auto operation(const char *name, F run, values_of<V>... arguments)
{
    return operation_of<F, never_waits, as_the_object, V...>{name, run, {}, {}, {arguments...}, 0};
}

template <class F> struct made_by_of {
    F make;
};
template <class F> auto made_by(F make) { return made_by_of<F>{make}; }

template <class F> struct specification_of {
    F make;
};
template <class S> auto specification()
{
    auto make = [] { return new S(); };
    return specification_of<decltype(make)>{make};
}
template <class F> auto specification(F make) { return specification_of<F>{make}; }

template <class F> struct validation_of {
    const char *name;
    F holds;
};
template <class F> auto validate(const char *name, F holds) { return validation_of<F>{name, holds}; }

template <class F> struct invariant_of {
    const char *name;
    F holds;
};
template <class F> auto invariant(const char *name, F holds) { return invariant_of<F>{name, holds}; }

/// The size where nobody asks for another: so many threads, and so many calls of each at most.
struct size {
    int threads, calls;
    constexpr size(int threads, int calls) : threads(threads), calls(calls) {}
};

struct question_of {
    dpor_scenario_check check;
};
inline constexpr question_of sequentially_consistent{DPOR_SEQUENTIALLY_CONSISTENT};
inline constexpr question_of quiescent{DPOR_QUIESCENT};

struct threads_differ_tag {};
inline constexpr threads_differ_tag threads_differ{};

namespace scenarios {

template <class T, class = void> struct is_streamable : std::false_type {};
template <class T>
struct is_streamable<T, std::void_t<decltype(std::declval<std::ostream &>() << std::declval<const T &>())>> : std::true_type {};
template <class T, class = void> struct is_optional : std::false_type {};
template <class T>
struct is_optional<T, std::void_t<decltype(std::declval<const T &>().has_value()), decltype(*std::declval<const T &>())>>
    : std::true_type {};
template <class T, class = void> struct is_range : std::false_type {};
template <class T>
struct is_range<T, std::void_t<decltype(std::declval<const T &>().begin()), decltype(std::declval<const T &>().end())>>
    : std::true_type {};
template <class T, class = void> struct is_tuple : std::false_type {};
template <class T> struct is_tuple<T, std::void_t<decltype(std::tuple_size<T>::value)>> : std::true_type {};

/// A value in a report.
template <class T> std::string text(const T &value)
{
    if constexpr (std::is_same_v<T, bool>)
        return value ? "true" : "false";
    else if constexpr (std::is_same_v<T, char>)
        return std::string("'") + value + "'";
    else if constexpr (std::is_convertible_v<const T &, std::string>)
        return '"' + std::string(value) + '"';
    else if constexpr (std::is_integral_v<T>)
        return std::to_string(value);
    else if constexpr (is_optional<T>::value)
        return value.has_value() ? text(*value) : "none";
    else if constexpr (is_streamable<T>::value) {
        std::ostringstream to;
        to << value;
        return to.str();
    } else if constexpr (std::is_enum_v<T>)
        return std::to_string(static_cast<std::underlying_type_t<T>>(value));
    else if constexpr (is_range<T>::value) {
        std::string all = "{";
        for (const auto &one : value)
            all += (all.size() > 1 ? ", " : "") + text(one);
        return all + "}";
    } else if constexpr (is_tuple<T>::value)
        return std::apply(
            [](const auto &...parts) {
                std::string all = "(";
                ((all += (all.size() > 1 ? ", " : "") + text(parts)), ...);
                return all + ")";
            },
            value);
    else {
        static_assert(is_streamable<T>::value, "a result or an argument needs an operator<< for std::ostream");
        return {};
    }
}

/// Whether a type is an address, or holds one where it is seen.
template <class T, bool = is_optional<T>::value> struct is_address : std::is_pointer<T> {};
template <class T> struct is_address<T, true> : std::is_pointer<std::decay_t<decltype(*std::declval<const T &>())>> {};

inline void copy(char *to, const std::string &text)
{
    if (!to)
        return;
    size_t length = std::min<size_t>(text.size(), DPOR_SCENARIO_RESULT - 1);
    std::copy(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length), to);
    to[length] = 0;
}

/// The type of the exception that is being handled, and its text.
inline std::string thrown(const char *what)
{
    const std::type_info *type = abi::__cxa_current_exception_type();
    int status = 0;
    char *name = type ? abi::__cxa_demangle(type->name(), nullptr, nullptr, &status) : nullptr;
    std::string all = std::string("throws ") + (name ? name : type ? type->name() : "something");
    std::free(name);
    return what ? all + ": " + what : all;
}

/// An operation with its arguments.
struct call {
    std::string name;
    std::vector<std::string> texts;
    virtual ~call() = default;
    virtual bool waits(void *object) = 0;
    virtual int make(void *object, bool is_sequential, char *unknown) = 0;
};

struct nothing {
    bool operator==(nothing) const { return true; }
};

/// Calls `run`; what it returns, nothing if that is void.
template <class F, class... A> auto returned(F &run, A &&...arguments)
{
    using result = std::decay_t<decltype(run(std::forward<A>(arguments)...))>;
    if constexpr (std::is_void_v<result>) {
        run(std::forward<A>(arguments)...);
        return nothing();
    } else
        return result(run(std::forward<A>(arguments)...));
}

template <class T, class S, class Operation, class... V> struct call_of : call {
    Operation operation;
    std::tuple<V...> arguments;
    using result = decltype(returned(std::declval<Operation &>().run, std::declval<T &>(), std::declval<V>()...));
    static_assert(!is_address<result>::value, "a result must not be an address: return what lies there");
    /// What it returned in sequences of calls: results have even numbers, exceptions odd ones.
    std::vector<result> known;
    std::vector<std::string> known_thrown;

    call_of(const Operation &operation, std::tuple<V...> arguments)
        : operation(operation), arguments(std::move(arguments))
    {
        name = std::apply(
            [](const auto &...values) {
                std::string all;
                ((all += (all.empty() ? "" : ", ") + text(values)), ...);
                return all;
            },
            this->arguments);
        name = operation.name + ("(" + name + ")");
    }

    bool waits(void *object) override
    {
        if constexpr (std::is_same_v<decltype(operation.waits), never_waits>)
            return false;
        else if constexpr (std::is_invocable_v<decltype(operation.waits) &, S &>)
            return operation.waits(*static_cast<S *>(object));
        else
            return std::apply([&](auto... values) { return operation.waits(*static_cast<S *>(object), values...); }, arguments);
    }

    void set_text(int number, const std::string &shown)
    {
        texts.resize(std::max<size_t>(texts.size(), static_cast<size_t>(number) + 1));
        texts[static_cast<size_t>(number)] = shown;
    }

    template <class R> int number(const R &value, bool is_sequential, char *unknown)
    {
        for (size_t k = 0; k < known.size(); k++)
            if (known[k] == value)
                return static_cast<int>(2 * k);
        if (!is_sequential && !unknown)
            return DPOR_CALL_UNKNOWN;
        std::string shown;
        if constexpr (!std::is_same_v<R, nothing>)
            shown = text(value);
        if (!is_sequential) {
            copy(unknown, shown);
            return DPOR_CALL_UNKNOWN;
        }
        known.push_back(value);
        int number = static_cast<int>(2 * known.size()) - 2;
        set_text(number, shown);
        return number;
    }

    int number_thrown(const std::string &shown, bool is_sequential, char *unknown)
    {
        for (size_t k = 0; k < known_thrown.size(); k++)
            if (known_thrown[k] == shown)
                return static_cast<int>(2 * k + 1);
        if (!is_sequential) {
            copy(unknown, shown);
            return DPOR_CALL_UNKNOWN;
        }
        known_thrown.push_back(shown);
        int number = static_cast<int>(2 * known_thrown.size()) - 1;
        set_text(number, shown);
        return number;
    }

    template <class F, class O> int made(F &run, O &object, bool is_sequential, char *unknown)
    {
        auto all = [&](auto... values) { return returned(run, object, std::move(values)...); };
#if defined __cpp_exceptions && defined __cpp_rtti
        try {
            return number(std::apply(all, arguments), is_sequential, unknown);
        } catch (abi::__forced_unwind &) {
            throw;
        } catch (const std::exception &exception) {
            return number_thrown(thrown(exception.what()), is_sequential, unknown);
        } catch (...) {
            return number_thrown(thrown(nullptr), is_sequential, unknown);
        }
#else
        return number(std::apply(all, arguments), is_sequential, unknown);
#endif
    }

    int make(void *object, bool is_sequential, char *unknown) override
    {
        if (!is_sequential)
            return made(operation.run, *static_cast<T *>(object), false, unknown);
        if constexpr (std::is_same_v<decltype(operation.specified), as_the_object>)
            return made(operation.run, *static_cast<S *>(object), true, unknown);
        else
            return made(operation.specified, *static_cast<S *>(object), true, unknown);
    }
};

/// Number of a call among those of its operation, by the numbers of its values; each of them as `map` has it if its values
/// are alike.
struct place {
    int first;
    std::vector<int> sizes, numbers;
    std::vector<bool> are_alike;

    int mapped(const std::vector<int> &map) const
    {
        int number = 0;
        for (size_t k = 0; k < sizes.size(); k++)
            number = number * sizes[k] + (are_alike[k] ? map[static_cast<size_t>(numbers[k])] : numbers[k]);
        return first + number;
    }
};

#include <dpor/scenario_suite.hpp>

} // namespace scenarios

/// What DPOR_SCENARIO says.
template <class T, class... Parts>
const dpor_scenario_object *scenario(const char *name, const char *file, const Parts &...parts)
{
    // Kept to the end of the process: threads that wait for ever use it.
    auto *all = new scenarios::suite<T, Parts...>(name, file, parts...);
    return &all->object;
}

} // namespace dpor

#ifdef DPOR_SCENARIO_FIXED
#define DPOR_SCENARIO(type, ...)                                                                                          \
    static const dpor_scenario_object *dpor_fixed_object() { return dpor::scenario<type>(#type, __BASE_FILE__, __VA_ARGS__); }
#else
#define DPOR_SCENARIO(type, ...)                                                                                          \
    int main(int argc, char **argv)                                                                                       \
    {                                                                                                                     \
        return dpor_scenario_main(dpor::scenario<type>(#type, __BASE_FILE__, __VA_ARGS__), argc, argv);                        \
    }
#endif

// A test of a framework, instead of a main function: the scenarios of one size, two threads with up to two calls each if no
// dpor::size says otherwise. `dpor check --test-filter` explores it as each other test; without the checker every scenario is
// run once. The framework's header is included before.
#define DPOR_SCENARIO_GTEST(suite, name, type, ...)                                                                       \
    TEST(suite, name)                                                                                                     \
    {                                                                                                                     \
        static const dpor_scenario_object *const stated = dpor::scenario<type>(#type, __BASE_FILE__, __VA_ARGS__);        \
        if (const char *wrong = dpor_scenario_test(stated))                                                               \
            FAIL() << wrong;                                                                                              \
    }
#define DPOR_SCENARIO_CATCH2(name, type, ...)                                                                             \
    TEST_CASE(name)                                                                                                       \
    {                                                                                                                     \
        static const dpor_scenario_object *const stated = dpor::scenario<type>(#type, __BASE_FILE__, __VA_ARGS__);        \
        if (const char *wrong = dpor_scenario_test(stated))                                                               \
            FAIL(wrong);                                                                                                  \
    }

#endif
