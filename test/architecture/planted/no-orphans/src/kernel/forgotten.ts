// Breaks the rule: nobody asks for it, and it asks for nobody.
export const forgotten = 1;
