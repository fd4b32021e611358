import { MutationObserver } from '@tanstack/react-query'
import { expect, onTestFinished, test, vi } from 'vitest'
import { queryClient } from '../../renderer/api/query-client.ts'

test('the answer of a change, which may be a secret, is forgotten soon after its dialog closed', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const change = new MutationObserver(queryClient, { mutationFn: async () => ({ key: 'kurir_g_secret' }) })
  const close = change.subscribe(() => {})
  await change.mutate()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(queryClient.getMutationCache().getAll(), 'while the dialog is open').toHaveLength(1)
  close()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(queryClient.getMutationCache().getAll()).toEqual([])
})
