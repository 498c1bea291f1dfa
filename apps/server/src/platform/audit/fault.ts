export interface AuditFault {
  /**
   * hash, link, gap: within the chain of a record. seal: rows and seal differ. key: the last seal was made with another secret. outside:
   * rows of the external record are missing or changed. state: a record differs from its last audited state. unaudited: a record was
   * changed without an audit row. part: a detached part was recorded without the secret, or its file is missing or changed.
   */
  kind: 'hash' | 'link' | 'gap' | 'seal' | 'key' | 'outside' | 'state' | 'unaudited' | 'part'
  entity: string
  entityId: number
  id: number
  detail?: string
}
