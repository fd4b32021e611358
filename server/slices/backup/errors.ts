import { ApiError } from '../../contract/errors.ts'
import { StorageError } from '../../lib/storage-error.ts'
import type { BackupFault } from './contract.ts'
import { FolderAway } from './folder.ts'

export const notABackup = () =>
  new ApiError(
    'backup_unreadable',
    'This file is not a backup of Kurir. Choose a file that Kurir made. Nothing was changed.',
  )

export const damaged = () =>
  new ApiError('backup_unreadable', 'This backup is damaged or not complete. Choose another one. Nothing was changed.')

export const wrongPassphrase = () =>
  new ApiError('wrong_passphrase', 'The passphrase does not open this backup. Type it again. Nothing was changed.')

export const newer = () =>
  new ApiError(
    'backup_newer',
    'This backup was made by a newer Kurir. Update Kurir, then restore it. Nothing was changed.',
  )

export const fromDevelopment = () =>
  new ApiError(
    'backup_unreadable',
    'This backup was made by a development version of Kurir, before the first release. Choose another one. Nothing was changed.',
  )

export const noFolder = () => new ApiError('conflict', 'No folder for automatic backups is chosen. Choose one first.')

/** Why an automatic backup failed. */
export function faultOf(error: unknown): BackupFault {
  if (error instanceof FolderAway) return 'away'
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT' || (error instanceof StorageError && error.problem === 'full'))
    return 'full'
  return code === 'EACCES' || code === 'EPERM' || code === 'EROFS' ? 'not_writable' : 'failed'
}

/** The error of a backup that the owner asked for, in words where there are some. */
export function asAnswer(error: unknown, folder: string): unknown {
  switch (faultOf(error)) {
    case 'away':
      return new ApiError(
        'conflict',
        `The folder for backups is not there: ${folder}. Plug in its drive, or choose it again.`,
      )
    case 'full':
      return new ApiError('storage_full', `There is no room for the backup. Make room in ${folder}, and on this PC.`)
    case 'not_writable':
      return new ApiError('conflict', `Kurir may not write to ${folder}. Give it the right, or choose another folder.`)
    default:
      return error
  }
}
