import type { ProviderError } from '../../../contract/errors.ts'
import type { Pricing } from '../../../contract/messages.ts'
import type { MessagingLimit } from '../../../store/index.ts'

/**
 * Reports in Meta's callbacks, reduced to what is used. Nothing of it was written by a customer: it
 * may be stored.
 */

/**
 * The order in which statuses of one message are applied; a failure last, because a delivery
 * outweighs it.
 */
export const REPORTED = ['sent', 'delivered', 'read', 'failed'] as const

export interface StatusUpdate {
  kind: 'status'
  wabaId: string | null
  phoneNumberId: string | null
  providerMessageId: string
  status: (typeof REPORTED)[number]
  /** Milliseconds, by Meta's clock; `null` when it gave no time. */
  occurredAt: number | null
  recipient: string | null
  /** Meta's business-scoped user ID of the recipient. */
  recipientUserId: string | null
  /** Our message id, if Meta gave it back. */
  callbackData: string | null
  pricing: Pricing | null
  errors: ProviderError[]
}

export interface News {
  wabaId: string | null
  /** Milliseconds, when Meta sent it; `null` when it gave no time. */
  occurredAt: number | null
}

interface AboutTemplate extends News {
  templateId: string | null
  name: string
  language: string
}

export interface TemplateUpdate extends AboutTemplate {
  kind: 'template'
  event: string
  reason: string | null
  /** Meta's words about it: the reason of a rejection and its advice, how long it is paused. */
  explanation: string | null
  /** Time at which the template was disabled. */
  disabledAt: number | null
}

/** A template was edited: what is known of it is out of date. */
interface TemplateEdit extends AboutTemplate {
  kind: 'template_edit'
}

interface TemplateQualityUpdate extends AboutTemplate {
  kind: 'template_quality'
  /** `GREEN`, `YELLOW`, `RED`, `UNKNOWN` */
  quality: string
  before: string | null
}

interface TemplateCategoryUpdate extends AboutTemplate {
  kind: 'template_category'
  /** The one that counts now. */
  category: string
  before: string | null
  /** The one that Meta will change it to, and when. */
  coming: { category: string; at: number | null } | null
}

export type AnyTemplateUpdate = TemplateUpdate | TemplateEdit | TemplateQualityUpdate | TemplateCategoryUpdate

export interface NumberUpdate extends News {
  kind: 'number'
  /** Digits. */
  phone: string | null
  /**
   * `THROUGHPUT_UPGRADE`, `ONBOARDING`; until 2025 also `FLAGGED`, `UNFLAGGED`, `UPGRADE`,
   * `DOWNGRADE`.
   */
  event: string
  limit: MessagingLimit | null
}

export interface NameUpdate extends News {
  kind: 'name'
  phone: string | null
  /** `APPROVED`, `REJECTED`, `DEFERRED`, `PENDING` */
  decision: string
  name: string | null
  reason: string | null
}

export interface CapabilityUpdate extends News {
  kind: 'capability'
  limit: MessagingLimit
}

export interface AccountUpdate extends News {
  kind: 'account'
  event: string
  restrictions: { type: string; until: number | null }[]
  /** `DISABLE`, `SCHEDULE_FOR_DISABLE`, `REINSTATE` */
  ban: { state: string; at: number | null } | null
  /** Such as `SPAM`, `SCAM`, `ADULT`. */
  violation: string | null
}

export interface AlertUpdate extends News {
  kind: 'alert'
  /** `INFORMATIONAL`, `WARNING`, `CRITICAL` */
  severity: string
  type: string
  /** True while it still holds. */
  active: boolean
  explanation: string | null
}

export interface SecurityUpdate extends News {
  kind: 'security'
  phone: string | null
  /** `PIN_CHANGED`, `PIN_RESET_REQUEST`, `PIN_REQUEST_SUCCESS` */
  event: string
}

/** A customer asked Meta for an end of marketing messages, or for more of them. */
export interface PreferenceUpdate extends News {
  kind: 'preference'
  phoneNumberId: string | null
  recipient: string | null
  recipientUserId: string | null
  wants: boolean
}

/** Meta reports a fault that belongs to no message, such as an app that it cannot authenticate. */
export interface FaultUpdate extends News {
  kind: 'fault'
  phoneNumberId: string | null
  errors: ProviderError[]
}

export type Update =
  | StatusUpdate
  | AnyTemplateUpdate
  | NumberUpdate
  | NameUpdate
  | CapabilityUpdate
  | AccountUpdate
  | AlertUpdate
  | SecurityUpdate
  | PreferenceUpdate
  | FaultUpdate
