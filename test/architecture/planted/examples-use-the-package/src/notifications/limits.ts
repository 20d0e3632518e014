export const LIMIT = 10;
