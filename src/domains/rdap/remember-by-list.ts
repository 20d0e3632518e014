import type { Json } from './rdap-json.js';

/** Plain records share the lists that are the same word for word (see RecentValues): each is interpreted once. */
export function rememberByList<Result>(interpret: (list: Json) => Result): (list: Json) => Result {
  const results = new WeakMap<object, { readonly result: Result }>();
  return (list) => {
    if (!Array.isArray(list)) return interpret(list);
    const known = results.get(list);
    if (known) return known.result;
    const result = interpret(list);
    results.set(list, { result });
    return result;
  };
}
