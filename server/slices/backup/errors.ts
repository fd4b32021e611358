import { ApiError } from '../../contract/errors.ts'

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
