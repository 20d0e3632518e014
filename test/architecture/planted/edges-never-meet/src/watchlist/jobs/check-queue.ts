export const ring = 1;
