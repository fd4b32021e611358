import { en as words } from '../../server/words/en/index.ts'
import { failures } from '../../server/words/en/messages.ts'
import { hints as providerHints } from '../../server/words/en/official.ts'
import { acts } from './en/acts.ts'
import { backup } from './en/backup.ts'
import { common } from './en/common.ts'
import { customers } from './en/customers.ts'
import { errors } from './en/errors.ts'
import { help } from './en/help.ts'
import { home } from './en/home.ts'
import { keys } from './en/keys.ts'
import { messages } from './en/messages.ts'
import { month } from './en/month.ts'
import { nodes } from './en/nodes.ts'
import { optOuts } from './en/opt-outs.ts'
import { palette } from './en/palette.ts'
import { prints } from './en/prints.ts'
import { programs } from './en/programs.ts'
import { refusedCalls } from './en/refused-calls.ts'
import { senders } from './en/senders.ts'
import { settings } from './en/settings.ts'
import { slip } from './en/slip.ts'
import { states } from './en/states.ts'
import { tables } from './en/tables.ts'
import { webhooks } from './en/webhooks.ts'
import { welcome } from './en/welcome.ts'
import { write } from './en/write.ts'

/** All texts of the window in English, a file for each area. Other languages need the same keys. */
export const en = {
  ...common,
  acts,
  backup,
  customers,
  errors,
  failures,
  help,
  home,
  keys,
  messages,
  month,
  nodes,
  optOuts,
  palette,
  prints,
  providerHints,
  programs,
  refusedCalls,
  senders,
  settings,
  slip,
  states,
  tables,
  write,
  webhooks,
  welcome,
}

/** The window's texts and the server's words. */
export const english = { texts: en, words }
