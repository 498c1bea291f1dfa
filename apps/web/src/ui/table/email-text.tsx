/** An address that a narrow card may break behind its '@', and nowhere else if it can. */
export const EmailText = ({ email }: { email: string }) => {
  const at = email.indexOf('@') + 1
  return (
    <>
      {email.slice(0, at)}
      <wbr />
      {email.slice(at)}
    </>
  )
}
