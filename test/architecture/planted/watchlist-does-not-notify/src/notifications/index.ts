export const announce = 1;
