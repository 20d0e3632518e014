import { house } from './test/architecture/lint-rules.mjs';
import { defineConfig, eslint, globalIgnores, tseslint } from './tools/eslint-config.mjs';

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
    extends: [tseslint.configs.recommended], // those that need types: .oxlintrc.json
    languageOptions: { parserOptions: { experimentalDecorators: true, emitDecoratorMetadata: true } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      // Leaves files with decorators alone: a class injected there is a value, whatever its use looks like.
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
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
);
