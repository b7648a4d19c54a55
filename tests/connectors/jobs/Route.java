import java.util.Map;
import java.util.Scanner;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.transforms.RegexRouter;

/** Prints what Kafka's RegexRouter makes of topics: lines of expression, replacement and topic. */
public class Route {
    public static void main(String[] arguments) {
        try (Scanner lines = new Scanner(System.in, "UTF-8")) {
            while (lines.hasNextLine()) {
                String[] parts = lines.nextLine().split("\t", -1);
                System.out.println(route(parts[0], parts[1], parts[2]));
            }
        }
    }

    private static String route(String regex, String replacement, String topic) {
        try (RegexRouter<SourceRecord> router = new RegexRouter<>()) {
            router.configure(Map.of("regex", regex, "replacement", replacement));
            return router.apply(new SourceRecord(null, null, topic, null, null)).topic();
        } catch (RuntimeException error) {
            return "error";
        }
    }
}
