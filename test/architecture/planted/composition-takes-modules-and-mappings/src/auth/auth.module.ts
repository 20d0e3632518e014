export const AuthModule = 1;
