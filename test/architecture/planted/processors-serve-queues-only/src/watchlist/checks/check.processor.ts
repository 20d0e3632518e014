export const process = 1;
