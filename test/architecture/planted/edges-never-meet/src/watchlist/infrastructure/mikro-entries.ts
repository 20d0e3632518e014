export const entries = 1;
