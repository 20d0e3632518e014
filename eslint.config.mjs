import eslint from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { house } from './test/architecture/lint-rules.mjs';

/** The Node that runs the linter is the one that runs the code, and knows its own globals. */
const nodeGlobals = Object.fromEntries(Object.getOwnPropertyNames(globalThis).map((name) => [name, 'readonly']));

export default defineConfig(
  globalIgnores(['dist/', 'coverage/', '.data/', 'clients/*/src/generated/']),
  { linterOptions: { reportUnusedDisableDirectives: 'error', reportUnusedInlineConfigs: 'error' } },
  eslint.configs.recommended,
  {
    rules: {
      eqeqeq: 'error',
      'prefer-const': 'error',
      'no-var': 'error',
      'object-shorthand': 'error',
      'no-implicit-coercion': ['error', { boolean: false }],
      'no-throw-literal': 'error',
    },
  },
  { files: ['**/*.{mjs,cjs}'], languageOptions: { globals: nodeGlobals } },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      // Leaves files with decorators alone: a class injected there is a value, whatever its use looks like.
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      '@typescript-eslint/no-import-type-side-effects': 'error',
    },
  },
  { files: ['{src,test,bench,examples,templates,faults,ui}/**'], rules: { 'max-lines': ['warn', 400] } },
  {
    files: ['src/**/*.ts', 'ui/src/**/*.{ts,tsx}'],
    plugins: { house },
    rules: {
      'house/no-default-export': 'error',
      'house/no-enum': 'error',
      'house/no-process-env': 'error',
      'house/no-built-sql': 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['{src,bench,faults,scripts}/**/*.ts'],
    plugins: { house },
    rules: { 'house/no-text-order': 'error' },
  },
  { files: ['src/config/config.ts'], rules: { 'house/no-process-env': 'off' } },
  { files: ['src/{cli,process}/**'], rules: { 'no-console': 'off' } },
  {
    files: ['src/{domains,watchlist,notifications,auth}/**'],
    ignores: ['**/*.dto.ts', 'src/domains/standalone-lookup.ts'],
    rules: { 'house/no-ambient-time': 'error' },
  },
  {
    files: ['{test,bench,examples,faults,templates}/**/*.ts'],
    rules: {
      // A fake keeps a port's promise without waiting for anything.
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    files: ['faults/mutants/*.ts'],
    rules: {
      // A mutant calls the method that it replaces with the `this` that it was given.
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['{examples,templates}/*/test/**'],
    rules: {
      // node:test collects what describe and it return.
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            { from: 'package', package: 'node:test', name: ['describe', 'it', 'test', 'suite'] },
          ],
        },
      ],
    },
  },
);
