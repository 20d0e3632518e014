export const rounds = 1;
