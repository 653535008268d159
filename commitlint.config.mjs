/** `type(scope)!: subject`: the scope and the `!` are optional, the header has at most 72 characters. */
export default {
  extends: ['@commitlint/config-conventional'],
  rules: {
    'header-max-length': [2, 'always', 72],
    'subject-case': [0],
    'body-max-line-length': [0],
    'footer-max-line-length': [0],
  },
  ignores: [(message) => /^(Merge|Revert) /.test(message)],
};
