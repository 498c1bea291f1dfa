/** An e-mail address that breaks after its '@', if it must. */
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
