import type { Command } from 'commander'
import { CliError, EXIT } from './errors.ts'

interface Words {
  /** The commands before it, such as `senders`. */
  after: string
  words: string[]
}

/** Words that can follow each command: its options, and the sub-commands that its help shows. */
function wordsOf(command: Command, after: string[] = []): Words[] {
  const options = command.options.flatMap(({ long }) => (long == null ? [] : [long]))
  const shown = command.createHelp().visibleCommands(command)
  const names = shown.map((sub) => sub.name())
  return [
    { after: after.join(' '), words: [...names, ...options, '--help'] },
    ...shown.flatMap((sub) => wordsOf(sub, [...after, sub.name()])),
  ]
}

const bash = (table: Words[]) => `_kurir() {
  local words=() word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do [[ $word == -* ]] || words+=("$word"); done
  local after="\${words[*]:0:2}"
  case "$after" in
${table.map(({ after, words }) => `    "${after}") COMPREPLY=($(compgen -W "${words.join(' ')}" -- "\${COMP_WORDS[COMP_CWORD]}")) ;;`).join('\n')}
    *) COMPREPLY=() ;;
  esac
}
complete -o default -F _kurir kurir
`

const zsh = (table: Words[]) => `#compdef kurir
_kurir() {
  local -a given
  given=(\${\${words[2,CURRENT-1]}:#-*})
  case "\${given[1,2]}" in
${table.map(({ after, words }) => `    "${after}") compadd -- ${words.join(' ')} ;;`).join('\n')}
    *) _files ;;
  esac
}
compdef _kurir kurir
`

const fish = (table: Words[]) =>
  `complete -c kurir -f
${table
  .map(({ after, words }) => {
    const when =
      after === ''
        ? '__fish_use_subcommand'
        : after
            .split(' ')
            .map((word) => `__fish_seen_subcommand_from ${word}`)
            .join('; and ')
    return `complete -c kurir -n '${when}' -a '${words.join(' ')}'`
  })
  .join('\n')}
`

const powershell = (table: Words[]) => `Register-ArgumentCompleter -Native -CommandName kurir -ScriptBlock {
  param($word, $ast, $position)
  $given = $ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() } |
    Where-Object { $_ -notlike '-*' -and $_ -ne $word }
  $table = @{
${table.map(({ after, words }) => `    '${after}' = '${words.join(' ')}'`).join('\n')}
  }
  $next = $table[(@($given | Select-Object -First 2) -join ' ')]
  if ($next) { $next -split ' ' | Where-Object { $_ -like "$word*" } | ForEach-Object { $_ } }
}
`

const SHELLS = { bash, zsh, fish, powershell } as const

/** A script for a shell that completes the commands. @throws CliError for another shell */
export function completionFor(program: Command, shell: string): string {
  if (!Object.hasOwn(SHELLS, shell)) {
    throw new CliError(`There is no completion for ${shell}, only for ${Object.keys(SHELLS).join(', ')}.`, EXIT.usage)
  }
  return SHELLS[shell as keyof typeof SHELLS](wordsOf(program))
}
