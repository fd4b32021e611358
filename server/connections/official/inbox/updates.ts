import type { ProviderError } from '../../../contract/errors.ts'
import type { Pricing } from '../../../contract/messages.ts'
import type { MessagingLimit } from '../../../store/index.ts'

// Reports in Meta's callbacks. They may be stored, because they contain no texts of customers.

/**
 * Order in which the statuses of one message are applied. A failure comes last, because a delivery
 * outweighs it.
 */
export const REPORTED = ['sent', 'delivered', 'read', 'failed'] as const

export interface StatusUpdate {
  kind: 'status'
  wabaId: string | null
  phoneNumberId: string | null
  providerMessageId: string
  status: (typeof REPORTED)[number]
  /** Milliseconds since 1970 by Meta's clock; null if Meta gave no time. */
  occurredAt: number | null
  recipient: string | null
  /** Meta's business-scoped user id of the recipient. */
  recipientUserId: string | null
  /** Our message id, if Meta returned it. */
  callbackData: string | null
  pricing: Pricing | null
  errors: ProviderError[]
}

export interface News {
  wabaId: string | null
  /** Time when Meta sent the report, in milliseconds since 1970; null if Meta gave none. */
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
  /** Meta's text: why the template was rejected, advice, or how long it is paused. */
  explanation: string | null
  disabledAt: number | null
}

/** A template was edited, so Kurir's copy is out of date. */
interface TemplateEdit extends AboutTemplate {
  kind: 'template_edit'
}

interface TemplateQualityUpdate extends AboutTemplate {
  kind: 'template_quality'
  /** `GREEN`, `YELLOW`, `RED`, `UNKNOWN`. */
  quality: string
  before: string | null
}

interface TemplateCategoryUpdate extends AboutTemplate {
  kind: 'template_category'
  /** Present category. */
  category: string
  before: string | null
  /** Category that Meta will change to, and the time of the change. */
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
  /** `APPROVED`, `REJECTED`, `DEFERRED`, `PENDING`. */
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
  /** `DISABLE`, `SCHEDULE_FOR_DISABLE`, `REINSTATE`. */
  ban: { state: string; at: number | null } | null
  /** `SPAM`, `SCAM`, `ADULT`, …. */
  violation: string | null
}

export interface AlertUpdate extends News {
  kind: 'alert'
  /** `INFORMATIONAL`, `WARNING`, `CRITICAL`. */
  severity: string
  type: string
  active: boolean
  explanation: string | null
}

export interface SecurityUpdate extends News {
  kind: 'security'
  phone: string | null
  /** `PIN_CHANGED`, `PIN_RESET_REQUEST`, `PIN_REQUEST_SUCCESS`. */
  event: string
}

/** A customer opted out of marketing messages at Meta, or in again. */
export interface PreferenceUpdate extends News {
  kind: 'preference'
  phoneNumberId: string | null
  recipient: string | null
  recipientUserId: string | null
  wants: boolean
}

/** A fault without a message, such as an app that Meta cannot authenticate. */
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
