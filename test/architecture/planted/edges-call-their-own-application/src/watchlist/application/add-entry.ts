export const add = 1;
