/** What eslint.config.mjs is made of, which lies where linter and editors look for it. */
export { default as eslint } from '@eslint/js';
export { defineConfig, globalIgnores } from 'eslint/config';
export { default as tseslint } from 'typescript-eslint';
