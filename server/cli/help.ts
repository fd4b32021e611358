import type { Command } from 'commander'
import { COMMAND } from '../lib/program.ts'
import { CliError, EXIT } from './terminal.ts'

interface Words {
  /** Commands before these words, such as `senders`. */
  after: string
  words: string[]
}

/** Returns the words that can follow each command: its options and its visible sub-commands. */
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

/** Returns a script that completes commands in a shell. @throws CliError for an unknown shell */
export function completionFor(program: Command, shell: string): string {
  if (!Object.hasOwn(SHELLS, shell)) {
    throw new CliError(`There is no completion for ${shell}, only for ${Object.keys(SHELLS).join(', ')}.`, EXIT.usage)
  }
  return SHELLS[shell as keyof typeof SHELLS](wordsOf(program))
}

/** One example for each command, without the program's name. */
const EXAMPLES: readonly string[] = [
  'start',
  'status --json',
  'open',
  'senders list',
  'senders groups SND-7K3QXM',
  'senders add "Toko Budi"',
  'senders add-official "Toko Budi" --file meta.json',
  'senders link SND-7K3QXM',
  'senders check SND-7K3QXM',
  'senders register SND-7K3QXM --pin-file pin.txt',
  'senders callback-setup SND-7K3QXM',
  'senders pause SND-7K3QXM',
  'senders resume SND-7K3QXM',
  'senders remove SND-7K3QXM --yes',
  'keys create till --device SND-SANDBOX',
  'keys list',
  'keys revoke 1',
  'webhooks list',
  'webhooks add http://127.0.0.1:8090/ --events message.delivered,message.failed',
  'webhooks test 1',
  'webhooks discard 1',
  'webhooks remove 1',
  'send 6281234567890 "Your order is ready" --sender SND-SANDBOX --file invoice.pdf',
  'messages list --status failed --limit 50',
  'messages show 0194f2a0-7c1e-7d3a-9b52-3f1c2d4e5a60',
  'messages cancel 0194f2a0-7c1e-7d3a-9b52-3f1c2d4e5a60',
  'texts list',
  'texts add "Order ready" "Dear {name}, your order is ready."',
  'texts remove 0194f2a0-7c1e-7d3a-9b52-3f1c2d4e5a60',
  'sessions list',
  'sessions revoke 1',
  'settings get language',
  'settings set retention_days 90',
  'nodes list',
  'nodes forget till-2',
  'logs --follow',
  'doctor',
  'backup kurir.kurirbackup',
  'backup schedule /media/usb/kurir',
  'restore kurir.kurirbackup',
  'rotate-key',
  'migrate-to database',
  'reopen --yes',
  'completion bash',
  'help keys create',
]

export function addExamples(command: Command, before: readonly string[] = []): void {
  for (const sub of command.commands) {
    const names = [...before, sub.name()]
    const example = EXAMPLES.find((each) => `${each} `.startsWith(`${names.join(' ')} `))
    addExamples(sub, names)
    if (example !== undefined && (sub.commands.length === 0 || sub.registeredArguments.length > 0))
      sub.addHelpText('after', `\nExample:\n  ${COMMAND} ${example}`)
  }
}
