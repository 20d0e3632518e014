export const statements = 1;
