import { DEFAULT_CONNECTION_CONFIG, type SignalDataSet, type SignalKeyStore, type SocketConfig } from 'baileys'

/**
 * The library's Signal repository, but each step of a session is stored when it is made. The library itself stores it
 * when the whole send is over, after the frame has left: a program that is killed in between would seal its next message
 * with the same key, and a device drops that as a repetition, without asking again (measured with libsignal). A step
 * without a message does no harm. libsignal lets only one step of a session be under way, so no transaction is missed.
 */
export const savingSessionsAtOnce =
  (disk: SignalKeyStore): SocketConfig['makeSignalRepository'] =>
  ({ creds, keys }, ...rest) =>
    DEFAULT_CONNECTION_CONFIG.makeSignalRepository(
      {
        creds,
        keys: {
          ...keys,
          get: (type, ids) => (type === 'session' ? disk : keys).get(type, ids),
          async set({ session, ...others }: SignalDataSet) {
            if (session !== undefined) await disk.set({ session })
            if (Object.keys(others).length > 0) await keys.set(others)
          },
        },
      },
      ...rest,
    )
