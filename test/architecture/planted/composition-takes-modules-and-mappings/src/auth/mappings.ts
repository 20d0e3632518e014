export const mappings = 1;
