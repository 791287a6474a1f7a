import { fileURLToPath } from 'node:url';
import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import vue from 'eslint-plugin-vue';
import globals from 'globals';
import tseslint from 'typescript-eslint';
import vueParser from 'vue-eslint-parser';
import { rendererParser } from './renderer-parser.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

const ofNodeAlone = Object.keys(globals.node).filter((name) => !(name in globals.browser));

/** The project that files have their types from: one each, so that no other has to be read for them. */
function typedBy(project, files, languageOptions = {}) {
  const parserOptions = {
    project,
    tsconfigRootDir: root,
    // Otherwise what an editor holds would be judged by what the disk holds.
    disallowAutomaticSingleRunInference: true,
  };
  return { files, languageOptions: { ...languageOptions, parserOptions } };
}

export default tseslint.config(
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  ...vue.configs['flat/recommended'].map((config) => ({ files: ['src-renderer/**/*.{ts,vue}'], ...config })),
  typedBy('./src-main/tsconfig.json', ['src-main/**/*.{js,ts}', 'electron.vite.config.ts']),
  typedBy('./test/tsconfig.json', ['test/**/*.ts']),
  typedBy('./src-renderer/tsconfig.json', ['src-renderer/**/*.ts'], { parser: rendererParser }),
  typedBy('./src-renderer/tsconfig.json', ['**/*.vue'], { parser: vueParser }),
  {
    rules: {
      // A number in a message is wanted; the rule's other cases stay forbidden.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/unbound-method': 'off',
      // What takes more has parts that belong together: they have a name.
      '@typescript-eslint/max-params': ['error', { max: 4 }],
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  {
    files: ['src-main/**/*.{js,ts}', 'test/**/*.ts', 'electron.vite.config.ts'],
    languageOptions: { globals: globals.node },
  },
  {
    files: ['src-renderer/**/*.{ts,vue}'],
    languageOptions: { globals: globals.browser },
    rules: {
      // Its types are checked together with the tests, which have Node's: a window has none of these.
      'no-restricted-globals': ['error', 'NodeJS', ...ofNodeAlone],
    },
  },
  {
    files: ['**/*.vue'],
    languageOptions: { parserOptions: { parser: rendererParser, extraFileExtensions: ['.vue'] } },
    rules: {
      // Every word comes from the message files.
      'vue/no-bare-strings-in-template': 'error',
      'vue/no-v-html': 'error',
      'vue/component-api-style': ['error', ['script-setup']],
      'vue/block-order': ['error', { order: ['script', 'template', 'style'] }],
      'vue/define-props-declaration': 'error',
      'vue/define-emits-declaration': 'error',
      'vue/no-unused-refs': 'error',
      'vue/require-default-prop': 'off',
    },
  },
  {
    files: ['src-renderer/stores/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            "CallExpression[callee.name='defineStore'] > ArrowFunctionExpression > BlockStatement > ReturnStatement[argument.type='ObjectExpression']",
          message: 'Return { … } as const: only the store itself changes its state.',
        },
      ],
    },
  },
  {
    // The events of others have the arguments that they have.
    files: ['src-main/electron/**/*.ts'],
    rules: { '@typescript-eslint/max-params': ['error', { max: 6 }] },
  },
  {
    // Checked against the untyped answers of real parts; asserting through `!` keeps tests short.
    files: ['test/**/*.ts'],
    rules: {
      // A row of cases has as many columns as it needs.
      '@typescript-eslint/max-params': ['error', { max: 6 }],
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
    },
  },
  {
    files: ['**/*.{js,cjs}'],
    ...tseslint.configs.disableTypeChecked,
    languageOptions: { ...tseslint.configs.disableTypeChecked.languageOptions, globals: globals.node },
  },
  {
    // The command line and the bench print; everything else logs.
    files: ['test/bench/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  prettier,
);
