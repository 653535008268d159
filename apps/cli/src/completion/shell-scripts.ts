/** Shells that completion supports. */
export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** Line of the suggestions that asks the shell for file names. */
export const FILES = ':files';

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** @param command absolute path of the command, which runs on every Tab */
type ScriptOf = (command: string) => string;

/** Bash splits words at `=`; the command joins them. The loop is for Bash 3.2 of macOS, which has no `mapfile`. */
const bash: ScriptOf = (command) => `
_pilothouse() {
  local line file word=\${COMP_WORDS[COMP_CWORD]} IFS=$'\\n'
  [ "$word" != "=" ] || word=
  COMPREPLY=()
  while read -r line; do
    if [ "$line" = "${FILES}" ]; then
      # An unquoted list would expand a file that is named *.
      while read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$word")
      compopt -o filenames 2>/dev/null
    else
      COMPREPLY+=("\${line%%$'\\t'*}")
    fi
  done < <(${quote(command)} completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _pilothouse pilothouse
`;

const zsh: ScriptOf = (command) => `
#compdef pilothouse
_pilothouse() {
  local line name
  local -a candidates
  local -i has_files=0
  for line in "\${(@f)$(${quote(command)} completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == ${FILES} ]]; then
      has_files=1
    elif [[ -n $line ]]; then
      name=\${line%%$'\\t'*}
      candidates+=("\${name//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done
  (( \${#candidates} == 0 )) || _describe pilothouse candidates
  (( has_files == 0 )) || _files
}
if [[ $funcstack[1] == _pilothouse ]]; then
  _pilothouse "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
  compdef _pilothouse pilothouse
fi
`;

const fish: ScriptOf = (command) => `
function __pilothouse_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -e words[1]
  for line in (${quote(command)} completion fish -- $words "$current" 2>/dev/null)
    if test "$line" = "${FILES}"
      __fish_complete_path "$current"
    else
      echo $line
    end
  end
end
complete -c pilothouse -f -a "(__pilothouse_complete)"
`;

const scripts = { bash, zsh, fish } satisfies Record<Shell, ScriptOf>;

/** The completion script of a shell. @param command absolute path of the command */
export const completionScript = (shell: Shell, command: string): string => scripts[shell](command).trim();
