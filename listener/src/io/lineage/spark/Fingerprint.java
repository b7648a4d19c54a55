package io.lineage.spark;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A hash of a plan without the ids that Spark assigns to each new plan. */
final class Fingerprint {
  private static final Pattern ID =
      Pattern.compile("(\\[\"#\",|\"(?:id|cteId|loopId|rdd|batchId)\":(?:\\{\"(?:value|id)\":)?)\\d+");

  private Fingerprint() {}

  static long of(byte[] plans) {
    Matcher id = ID.matcher(new String(plans, StandardCharsets.UTF_8));
    String without = id.replaceAll("$1");
    long hash = 0xcbf29ce484222325L; // FNV-1a of 64 bits
    for (int i = 0; i < without.length(); i++) {
      hash = (hash ^ without.charAt(i)) * 0x100000001b3L;
    }
    return hash;
  }
}
