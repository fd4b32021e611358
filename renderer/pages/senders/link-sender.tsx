export default function LinkSender({ code }: { code: string }) {
  return <p>{code}</p>
}
