import type { ErrorDetail } from '../../../contract/errors.ts'
import type { TemplateComponent } from '../../../contract/templates.ts'
import type { SenderRow } from '../../../store/index.ts'
import type { OfficialContext } from '../graph/context.ts'
import type { Acceptance, GraphOutcome } from '../graph/graph-client.ts'
import type { AddressedTemplate, TemplateMessage } from '../graph/templates.ts'
import type { Catalogue, TemplateCheck } from './catalogue.ts'
import { optionProblems } from './template-problems.ts'

/** Target of a sender's template messages: Meta, or the sandbox. */
export interface TemplateTarget {
  /**
   * Resolves with the time until which Meta accepts no marketing message to this person (131049).
   * Null: no such time, or another category.
   */
  heldUntil(recipient: string, category: string | null): Promise<number | null>
  check(name: string, language: string, components: readonly TemplateComponent[]): Promise<TemplateCheck>
  post(message: TemplateMessage): Promise<GraphOutcome<Acceptance>>
}

/** @param sandboxPost answers in Meta's place for sandbox senders */
export function createTemplateTargets(
  { store, accounts, client, clock }: OfficialContext,
  catalogue: Catalogue,
  sandboxPost: TemplateTarget['post'],
): (sender: SenderRow) => TemplateTarget {
  const sandbox: TemplateTarget = {
    check: async () => ({ category: null, problems: [] }),
    heldUntil: async () => null,
    post: sandboxPost,
  }

  function official(sender: SenderRow): TemplateTarget {
    const account = accounts.of(sender)
    return {
      check: (name, language, components) => catalogue.check(account, name, language, components),
      heldUntil: async (recipient, category) =>
        category === 'MARKETING' ? store.contacts.heldUntil(sender.id, recipient, clock.now()) : null,
      post: (message) => client.send(account, message),
    }
  }

  return (sender) => (sender.kind === 'sandbox' ? sandbox : official(sender))
}

/**
 * Resolves with the category of a template and all faults of a send, as far as this PC knows them.
 * @param values faults of the values, found before
 */
export async function checkTemplate(
  target: TemplateTarget,
  call: AddressedTemplate,
  values: readonly ErrorDetail[],
): Promise<TemplateCheck> {
  const { category, problems } = await target.check(call.name, call.language, call.components)
  return { category, problems: [...values, ...optionProblems(call, call.recipient, category), ...problems] }
}
