import { id as words } from '../../server/words/id/index.ts'
import { failures } from '../../server/words/id/messages.ts'
import { hints as providerHints } from '../../server/words/id/official.ts'
import type { en } from './en.ts'
import { acts } from './id/acts.ts'
import { backup } from './id/backup.ts'
import { common } from './id/common.ts'
import { customers } from './id/customers.ts'
import { errors } from './id/errors.ts'
import { help } from './id/help.ts'
import { home } from './id/home.ts'
import { keys } from './id/keys.ts'
import { messages } from './id/messages.ts'
import { month } from './id/month.ts'
import { nodes } from './id/nodes.ts'
import { optOuts } from './id/opt-outs.ts'
import { palette } from './id/palette.ts'
import { prints } from './id/prints.ts'
import { programs } from './id/programs.ts'
import { refusedCalls } from './id/refused-calls.ts'
import { senders } from './id/senders.ts'
import { settings } from './id/settings.ts'
import { slip } from './id/slip.ts'
import { states } from './id/states.ts'
import { tables } from './id/tables.ts'
import { webhooks } from './id/webhooks.ts'
import { welcome } from './id/welcome.ts'
import { write } from './id/write.ts'
import type { Indonesian } from './translation.ts'

export const id: Indonesian<typeof en> = {
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
export const indonesian = { texts: id, words }
