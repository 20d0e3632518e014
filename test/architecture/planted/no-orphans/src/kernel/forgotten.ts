// Breaks the rule: no module imports it, and it imports none.
export const forgotten = 1;
