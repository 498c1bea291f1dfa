export interface AuditFault {
  /**
   * hash, link, gap: within the chain of a record. seal: rows and seal differ. key: the last seal is of another secret. outside: what was
   * recorded outside the database is not there any more. state: a record is not what was last written. unaudited: a record was changed
   * without an audit row.
   */
  kind: 'hash' | 'link' | 'gap' | 'seal' | 'key' | 'outside' | 'state' | 'unaudited'
  entity: string
  entityId: number
  id: number
  detail?: string
}
