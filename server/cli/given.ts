import type { Command } from 'commander'
import { CliError, EXIT } from './errors.ts'

/** A setting, and a text, may be empty. */
const MAY_BE_EMPTY = ['value', 'text', 'message']

/**
 * Refuses names and options that are empty, as those of a script are whose variable was never set.
 * @throws CliError
 */
export function checkGiven(command: Command): void {
  const empty = [
    ...command.registeredArguments
      .filter((argument, index) => command.args[index]?.trim() === '' && !MAY_BE_EMPTY.includes(argument.name()))
      .map((argument) => `<${argument.name()}>`),
    ...command.options
      .filter((option) => command.opts<Record<string, unknown>>()[option.attributeName()] === '')
      .map((option) => option.long),
  ]
  if (empty.length > 0) throw new CliError(`${empty.join(' and ')} must not be empty.`, EXIT.usage)
}
