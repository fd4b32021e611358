import { randomUUID } from 'node:crypto'
import type { NewMessage } from '../../server/store/index.ts'

/** Returns a queued text of the owner, due at its creation, with the changes in `parts`. */
export function newRow(parts: Partial<NewMessage> & Pick<NewMessage, 'senderId'>): NewMessage {
  const createdAt = parts.createdAt ?? Date.now()
  return {
    laneId: parts.senderId,
    id: randomUUID(),
    keyNumber: null,
    channel: 'standard',
    recipient: '6281234567890',
    body: 'Halo',
    file: null,
    filename: null,
    fileSha256: null,
    priority: 'normal',
    purpose: 'transactional',
    template: null,
    referenceId: null,
    metadata: null,
    unknownMembers: null,
    status: 'queued',
    createdAt,
    dueAt: createdAt,
    expiresAt: createdAt + 3_600_000,
    dueNamed: false,
    endNamed: 'no',
    nextAt: createdAt,
    providerMessageId: null,
    attemptBegins: false,
    ...parts,
  }
}
