export const authenticate = 1;
