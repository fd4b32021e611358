import type { Language } from '../contract/process-messages.ts'
import type { Concern } from '../health/concerns.ts'

interface Text {
  title: string
  body: string
}

/** How a concern is told in a notification. The pages say the rest. */
interface Words {
  sender: Record<Extract<Concern, { kind: 'sender' }>['problem'], (name: string) => Text>
  webhook: Record<Extract<Concern, { kind: 'webhook' }>['problem'], (host: string, count: number) => Text>
  disk: Record<Extract<Concern, { kind: 'disk' }>['problem'], () => Text>
}

const en: Words = {
  sender: {
    logged_out: (name) => ({
      title: `${name} is no longer linked`,
      body: 'The link was removed on the phone. Scan the code again; messages wait.',
    }),
    replaced: (name) => ({
      title: `${name} is in use elsewhere`,
      body: 'Another program took over this link. Resume it here, or link it again.',
    }),
    restricted: (name) => ({
      title: `WhatsApp has restricted ${name}`,
      body: 'Open WhatsApp on the phone to see why. Messages wait.',
    }),
    disconnected: (name) => ({
      title: `${name} has no connection`,
      body: 'Kurir keeps trying. Check the internet connection of this computer; messages wait.',
    }),
  },
  webhook: {
    disabled: (host) => ({
      title: `Callbacks to ${host} are switched off`,
      body: 'The receiver said that it is gone. What waits is sent when you switch it on again.',
    }),
    dead: (host, count) => ({
      title: `Callbacks to ${host} could not be delivered`,
      body: `${count === 1 ? 'One was' : `${count} were`} given up. Mend the receiver, then send them again.`,
    }),
  },
  disk: {
    unwritable: () => ({
      title: 'Kurir cannot save messages',
      body: 'The disk is full or locked, so new messages are refused. Free some space.',
    }),
    nearly_full: () => ({
      title: 'The disk is nearly full',
      body: 'Less than 500 MB are left. Free some space before messages are refused.',
    }),
  },
}

const id: Words = {
  sender: {
    logged_out: (name) => ({
      title: `${name} tidak lagi tertaut`,
      body: 'Tautan dihapus di ponsel. Pindai kodenya lagi; pesan menunggu.',
    }),
    replaced: (name) => ({
      title: `${name} dipakai di tempat lain`,
      body: 'Program lain mengambil alih tautan ini. Lanjutkan di sini, atau tautkan lagi.',
    }),
    restricted: (name) => ({
      title: `WhatsApp membatasi ${name}`,
      body: 'Buka WhatsApp di ponsel untuk melihat alasannya. Pesan menunggu.',
    }),
    disconnected: (name) => ({
      title: `${name} tidak terhubung`,
      body: 'Kurir terus mencoba. Periksa koneksi internet komputer ini; pesan menunggu.',
    }),
  },
  webhook: {
    disabled: (host) => ({
      title: `Callback ke ${host} dimatikan`,
      body: 'Penerima menyatakan sudah tidak ada. Yang menunggu dikirim setelah Anda menyalakannya lagi.',
    }),
    dead: (host, count) => ({
      title: `Callback ke ${host} tidak dapat dikirim`,
      body: `${count} callback dihentikan. Perbaiki penerimanya, lalu kirim lagi.`,
    }),
  },
  disk: {
    unwritable: () => ({
      title: 'Kurir tidak dapat menyimpan pesan',
      body: 'Disk penuh atau terkunci, sehingga pesan baru ditolak. Kosongkan sebagian ruang.',
    }),
    nearly_full: () => ({
      title: 'Disk hampir penuh',
      body: 'Sisa kurang dari 500 MB. Kosongkan ruang sebelum pesan ditolak.',
    }),
  },
}

export const wordsFor = (language: Language): Words => ({ en, id })[language]
