export const newId = 1;
