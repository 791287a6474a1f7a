import { fileURLToPath } from 'node:url';
import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import vue from 'eslint-plugin-vue';
import { defineConfig } from 'eslint/config';
import globals from 'globals';
import tseslint from 'typescript-eslint';
import vueParser from 'vue-eslint-parser';
import { rendererParser } from './renderer-parser.js';

/*
 * The window, whose files have templates. All else is plain TypeScript, which oxlint checks by the same rules in a quarter
 * of the time: what is changed here is changed in oxlint.json.
 */
const parserOptions = {
  project: './src-renderer/tsconfig.json',
  tsconfigRootDir: fileURLToPath(new URL('../../', import.meta.url)),
  // Otherwise what an editor holds would be judged by what the disk holds.
  disallowAutomaticSingleRunInference: true,
};
const ofNodeAlone = Object.keys(globals.node).filter((name) => !(name in globals.browser));

export default defineConfig(
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  ...vue.configs['flat/recommended'],
  { files: ['**/*.ts'], languageOptions: { parser: rendererParser, parserOptions } },
  {
    files: ['**/*.vue'],
    languageOptions: {
      parser: vueParser,
      parserOptions: { ...parserOptions, parser: rendererParser, extraFileExtensions: ['.vue'] },
    },
  },
  {
    languageOptions: { globals: globals.browser },
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
      // It looks through every type for classes, of which the window has none: a sixth of the time.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // What takes more has parts that belong together: they have a name.
      '@typescript-eslint/max-params': ['error', { max: 4 }],
      'no-console': 'error',
      eqeqeq: 'error',
      // Its types are checked together with the tests, which have Node's: a window has none of these.
      'no-restricted-globals': ['error', 'NodeJS', ...ofNodeAlone],
    },
  },
  {
    files: ['**/*.vue'],
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
  prettier,
);
