export const poolSize = 10;
