export const watching = 1;
