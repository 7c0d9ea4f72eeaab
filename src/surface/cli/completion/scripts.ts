/**
 * Scripts for shells. They know nothing of our commands: they ask `selvage __complete` for the words that fit, one on a
 * line with a tab before what it means. A line `:files` asks for names of files, `:nospace` that no space follows.
 */

export const SHELLS = ["bash", "zsh", "fish", "pwsh"] as const;
export type Shell = (typeof SHELLS)[number];

/** By which a file that `--install` may write over is known. */
export const MARK = "made by selvage completion";

const BASH = `# ${MARK}
_selvage() {
  local line="\${COMP_LINE:0:COMP_POINT}" value about cur before=""
  local -a words
  read -ra words <<< "$line"
  [[ "$line" == *" " ]] && words+=("")
  cur="\${words[\${#words[@]}-1]}"
  # The shell replaces only what stands after the last of these.
  case "$cur" in *[=:]*) before="\${cur%"\${cur##*[=:]}"}" ;; esac
  COMPREPLY=()
  while IFS=$'\\t' read -r value about; do
    case "$value" in
      :files) compopt -o default 2>/dev/null ;;
      :nospace) compopt -o nospace 2>/dev/null ;;
      *) COMPREPLY+=("\${value#"$before"}") ;;
    esac
  done < <("\${words[0]}" __complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -F _selvage selvage
`;

const ZSH = `#compdef selvage
# ${MARK}
_selvage() {
  local -a lines values
  local line value about nospace=""
  lines=("\${(@f)$("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $lines; do
    case $line in
      :files) _files; return ;;
      :nospace) nospace=1 ;;
      *)
        value=\${line%%$'\\t'*}
        about=\${line#*$'\\t'}
        values+=("\${value//:/\\\\:}:$about")
        ;;
    esac
  done
  if [[ -n $nospace ]]; then _describe selvage values -S ''; else _describe selvage values; fi
}
if [[ "\${funcstack[1]}" == "_selvage" ]]; then _selvage "$@"; else compdef _selvage selvage; fi
`;

const FISH = `# ${MARK}
function __selvage_words
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    for line in (selvage __complete -- $before[2..-1] "$current" 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path $current
            case ':nospace'
            case '*'
                echo $line
        end
    end
end
complete -c selvage -f -a '(__selvage_words)'
`;

const PWSH = `# ${MARK}
Register-ArgumentCompleter -Native -CommandName selvage -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
    if ($wordToComplete -eq '') { $words += '' }
    selvage __complete -- @words 2>$null | ForEach-Object {
        if (-not $_.StartsWith(':')) {
            $value, $about = $_ -split "\`t", 2
            if (-not $about) { $about = $value }
            [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
        }
    }
}
`;

export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH, pwsh: PWSH };

/** Where a shell looks for scripts of its user's, and what is to be done so that it does. */
export function homeOf(
  shell: Shell,
  environment: Readonly<Record<string, string | undefined>>,
): { readonly path: string; readonly hint: string } {
  const home = environment["HOME"] ?? "";
  const data = environment["XDG_DATA_HOME"] || `${home}/.local/share`;
  const config = environment["XDG_CONFIG_HOME"] || `${home}/.config`;
  switch (shell) {
    case "bash":
      return {
        path: `${data}/bash-completion/completions/selvage`,
        hint: "It is there in the next shell, if the package bash-completion is installed.",
      };
    case "zsh":
      return {
        path: `${data}/zsh/site-functions/_selvage`,
        hint: `Once in ~/.zshrc, before compinit:  fpath=(${data}/zsh/site-functions $fpath)`,
      };
    case "fish":
      return { path: `${config}/fish/completions/selvage.fish`, hint: "It is there in the next shell." };
    case "pwsh": {
      const path = `${config}/powershell/selvage.ps1`;
      return { path, hint: `Once in your $PROFILE:  . ${path}` };
    }
  }
}
