export const defineExtension = 1;
