import { UPLOAD_SCHEME } from '../contract/files.ts'
import { isLocalFile, type SendRequest } from '../contract/send.ts'
import type { LocalFile } from '../media/local-file.ts'
import { SENT_ALONG_FOR, type UploadRow, type Uploads } from '../media/uploads.ts'
import type { KeyRow } from '../store/index.ts'
import { fileGone } from '../words/errors.ts'
import type { AttachedFile } from './new-message.ts'

export interface AttachDeps {
  uploads: Uploads
  /** @throws ApiError `invalid_request` */
  openLocalFile: (address: string) => Promise<LocalFile>
}

/**
 * Does something with the file of a request. One of this PC is copied first, so that what is sent
 * is what the caller named; where `work` comes to nothing, so does the copy.
 * @throws ApiError `invalid_request`, `payload_too_large`, `storage_full`, and what `work` rejects
 *   with
 */
export type Attach = <T>(
  request: SendRequest,
  key: KeyRow | null,
  work: (attached: AttachedFile | null) => Promise<T>,
) => Promise<T>

const attached = ({ id, sha256 }: UploadRow): AttachedFile => ({ file: UPLOAD_SCHEME + id, sha256 })

export function createAttach({ uploads, openLocalFile }: AttachDeps): Attach {
  async function uploaded(id: string, key: KeyRow | null): Promise<AttachedFile> {
    const row = await uploads.get(id)
    // Another key's file is as unknown as none; the owner may name any.
    if (row === undefined || (key !== null && row.keyNumber !== key.number)) throw fileGone()
    return attached(row)
  }

  async function withCopy<T>(
    address: string,
    keyNumber: number | null,
    work: (attached: AttachedFile) => Promise<T>,
  ): Promise<T> {
    const { name, content } = await openLocalFile(address)
    const row = await uploads
      .store({ content, name, contentType: undefined, keyNumber, keptFor: SENT_ALONG_FOR })
      .finally(() => content.destroy())
    try {
      return await work(attached(row))
    } catch (error) {
      // A file that the disk refuses to give up now is swept later.
      await uploads.discard(row.id).catch(() => undefined)
      throw error
    }
  }

  // Most messages have no file, and are not made to wait for one.
  return ({ file, file_id: fileId }, key, work) => {
    if (fileId != null) return uploaded(fileId, key).then(work)
    if (file === undefined) return work(null)
    return isLocalFile(file) ? withCopy(file, key?.number ?? null, work) : work({ file, sha256: null })
  }
}
