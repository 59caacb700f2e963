// A part of dpor/scenario.hpp, inside its namespace: what the arguments of DPOR_SCENARIO come to.
#ifndef DPOR_SCENARIO_SUITE_HPP
#define DPOR_SCENARIO_SUITE_HPP

/// How the object is made: by the part that says so, or without arguments.
template <class T> struct made_plainly {
    T *operator()() const { return new T(); }
};
template <class T, class... Parts> struct maker_of {
    using type = made_plainly<T>;
    static type of(const Parts &...) { return {}; }
};
template <class T, class F, class... Rest> struct maker_of<T, made_by_of<F>, Rest...> {
    using type = F;
    static type of(const made_by_of<F> &part, const Rest &...) { return part.make; }
};
template <class T, class First, class... Rest> struct maker_of<T, First, Rest...> {
    using type = typename maker_of<T, Rest...>::type;
    static type of(const First &, const Rest &...rest) { return maker_of<T, Rest...>::of(rest...); }
};

/// How the specification is made: as the object if there is none.
template <class Maker, class... Parts> struct specifier_of {
    using type = Maker;
    static type of(const Maker &maker, const Parts &...) { return maker; }
};
template <class Maker, class F, class... Rest> struct specifier_of<Maker, specification_of<F>, Rest...> {
    using type = F;
    static type of(const Maker &, const specification_of<F> &part, const Rest &...) { return part.make; }
};
template <class Maker, class First, class... Rest> struct specifier_of<Maker, First, Rest...> {
    using type = typename specifier_of<Maker, Rest...>::type;
    static type of(const Maker &maker, const First &, const Rest &...rest)
    {
        return specifier_of<Maker, Rest...>::of(maker, rest...);
    }
};

template <class T, class... Parts> struct suite {
    using maker = typename maker_of<T, Parts...>::type;
    using specifier = typename specifier_of<maker, Parts...>::type;
    using specified = std::remove_pointer_t<decltype(std::declval<specifier &>()())>;

    maker make;
    specifier make_specified;
    std::vector<std::unique_ptr<call>> calls;
    std::vector<place> places;
    std::vector<const char *> names;
    std::vector<int> maps;
    std::vector<int> roles;
    /// Number of values that are alike.
    size_t alike_count = 0;
    std::vector<std::pair<const char *, bool (*)(const void *, T &)>> validations;
    std::vector<const void *> validated;
    dpor_scenario_object object{};

    suite(const char *name, const char *file, const Parts &...parts)
        : make(maker_of<T, Parts...>::of(parts...)), make_specified(specifier_of<maker, Parts...>::of(make, parts...))
    {
        (add(parts), ...);
        for (const auto &one : calls)
            names.push_back(one->name.c_str());
        object.name = name;
        object.file = file;
        object.calls = static_cast<int>(calls.size());
        object.names = names.data();
        object.roles = roles.data();
        object.self = this;
        add_maps();
        object.map_count = calls.empty() ? 0 : static_cast<int>(maps.size() / calls.size());
        object.maps = maps.data();
        object.create = [](void *self, int is_sequential) -> void * {
            auto *all = static_cast<suite *>(self);
            if (is_sequential)
                return all->make_specified();
            return all->make();
        };
        object.destroy = [](void *, void *object, int is_sequential) {
            if (is_sequential)
                delete static_cast<specified *>(object);
            else
                delete static_cast<T *>(object);
        };
        object.waits = [](void *self, void *object, int call) -> int { return of(self, call).waits(object); };
        object.make = [](void *self, void *object, int call, int is_sequential, char *unknown) {
            return of(self, call).make(object, is_sequential != 0, unknown);
        };
        object.text = [](void *self, int call, int result) {
            return of(self, call).texts[static_cast<size_t>(result)].c_str();
        };
        object.broken = [](void *self, void *object) -> const char * {
            auto *all = static_cast<suite *>(self);
            for (size_t k = 0; k < all->validations.size(); k++)
                if (!all->validations[k].second(all->validated[k], *static_cast<T *>(object)))
                    return all->validations[k].first;
            return nullptr;
        };
    }

    static call &of(void *self, int number) { return *static_cast<suite *>(self)->calls[static_cast<size_t>(number)]; }

    template <class F, class Waits, class Specified, class... V>
    void add(const operation_of<F, Waits, Specified, V...> &operation)
    {
        place at{static_cast<int>(calls.size()), {}, {}, {}};
        std::apply(
            [&](const auto &...values) {
                (at.sizes.push_back(static_cast<int>(values.list.size())), ...);
                (at.are_alike.push_back(values.are_alike), ...);
                ((alike_count = std::max(alike_count, values.are_alike ? values.list.size() : 0)), ...);
            },
            operation.arguments);
        add_calls(operation, at, std::tuple<>());
    }

    /// Adds a call for each combination of the values behind those that are chosen.
    template <class Operation, class... Chosen>
    void add_calls(const Operation &operation, const place &at, const std::tuple<Chosen...> &chosen)
    {
        if constexpr (sizeof...(Chosen) == std::tuple_size_v<decltype(operation.arguments)>) {
            calls.push_back(std::make_unique<call_of<T, specified, Operation, Chosen...>>(operation, chosen));
            places.push_back(at);
            roles.push_back(operation.role);
        } else {
            const auto &list = std::get<sizeof...(Chosen)>(operation.arguments).list;
            for (size_t k = 0; k < list.size(); k++) {
                place with = at;
                with.numbers.push_back(static_cast<int>(k));
                add_calls(operation, with, std::tuple_cat(chosen, std::make_tuple(list[k])));
            }
        }
    }

    template <class F> void add(const made_by_of<F> &) {}
    template <class F> void add(const specification_of<F> &) {}
    template <class F> void add(const validation_of<F> &validation)
    {
        validated.push_back(new F(validation.holds));
        validations.emplace_back(validation.name, [](const void *holds, T &object) {
            return static_cast<bool>((*static_cast<const F *>(holds))(object));
        });
    }
    /// What an invariant looks at: the object that runs, if it is one of this test.
    template <class F> struct stated {
        static inline const suite *owner;
        static inline const F *holds;
        static int look()
        {
            if (!dpor_scenario.shared || dpor_scenario.object != &owner->object)
                return 1;
            return static_cast<bool>((*holds)(*static_cast<const T *>(dpor_scenario.shared)));
        }
    };
    template <class F> void add(const invariant_of<F> &invariant)
    {
        stated<F>::owner = this;
        stated<F>::holds = new F(invariant.holds);
        dpor_invariant_named(invariant.name, stated<F>::look);
    }
    void add(const size &size)
    {
        object.size_threads = size.threads;
        object.size_length = size.calls;
    }
    void add(const question_of &question) { object.check = question.check; }
    void add(const threads_differ_tag &) { object.threads_differ = 1; }

    /// Each exchange of values that are alike, but for none.
    void add_maps()
    {
        std::vector<int> map(alike_count);
        for (size_t k = 0; k < map.size(); k++)
            map[k] = static_cast<int>(k);
        // Lists of another length have values that no exchange may lead out of.
        for (const place &at : places)
            for (size_t k = 0; k < at.sizes.size(); k++)
                if (at.are_alike[k] && static_cast<size_t>(at.sizes[k]) != alike_count)
                    return;
        while (std::next_permutation(map.begin(), map.end()))
            for (const place &at : places)
                maps.push_back(at.mapped(map));
    }
};

#endif
