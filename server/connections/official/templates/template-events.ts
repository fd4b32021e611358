import type { TemplateUpdate } from '../inbox/updates.ts'

/** After these a template cannot be sent until Meta says otherwise. */
const BLOCKING = [
  ...['PAUSED', 'DISABLED', 'REJECTED', 'PENDING', 'IN_APPEAL', 'ARCHIVED', 'PENDING_DELETION', 'DELETED'],
]
/**
 * After these it can be sent again. `UNARCHIVED` is not one: it restores whatever the status was
 * before.
 */
const RELEASING = ['APPROVED', 'REINSTATED', 'UNPAUSED']

export interface TemplateEffect {
  /** The status that the event leaves behind; `null`: only Meta's list knows. */
  status: string | null
  /**
   * True if the template has to be read again: it may have been edited, or the event is unknown.
   */
  readAgain: boolean
  /**
   * Why it cannot be sent, as Meta explains it; `null` when it can, or when only Meta's list knows.
   */
  trouble: string | null
}

/** Effect of a `message_template_status_update` on the templates that are known here. */
export function templateEffect(update: Pick<TemplateUpdate, 'event' | 'reason' | 'explanation'>): TemplateEffect {
  const event = update.event.toUpperCase()
  if (BLOCKING.includes(event)) return { status: event, readAgain: false, trouble: troubleOf(event, update) }
  return { status: RELEASING.includes(event) ? 'APPROVED' : null, readAgain: true, trouble: null }
}

function troubleOf(event: string, { reason, explanation }: Pick<TemplateUpdate, 'reason' | 'explanation'>): string {
  return `${event}${reason === null ? '' : ` (${reason})`}${explanation === null ? '' : `: ${explanation}`}`
}
