/** Names of entries as events show them. */
export const nameOf = (n: number) => `name-${n}.example`;
/** The entry of a name, as events show it. */
export const entryOf = (name: string) => ({ entry_id: `wl_${name}`, domain: name, domain_unicode: name });
